// A connection that failed, in one sentence that names the address.
import { codeOf, messageOf } from "../base/errors.ts";
import { ModelError } from "./model-error.ts";

/** What went wrong before an answer began; `address` without query or credentials. */
export function networkError(error: unknown, address: string): ModelError {
  const code = codeOf(error) ?? "";
  if (code.startsWith("HPE_")) {
    const message = `${address} does not answer in HTTP (${messageOf(error)}).`;
    return new ModelError(message, { failure: "malformed", retryable: false }, { cause: error });
  }
  const retryable = !isCertificateError(code);
  return new ModelError(
    `${reasonOf(code, error, address)}.`,
    { failure: "network", retryable },
    { cause: error, details: { code } },
  );
}

function reasonOf(code: string, error: unknown, address: string): string {
  switch (code) {
    case "ECONNREFUSED":
      return `${address} refuses connections: check the address, and that the server is running`;
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `The host name of ${address} cannot be resolved; check the address and the network`;
    case "ECONNRESET":
    case "EPIPE":
      return `The connection to ${address} was closed before an answer came`;
    case "ETIMEDOUT":
      return `${address} cannot be reached: no connection in time`;
    case "EHOSTUNREACH":
    case "ENETUNREACH":
      return `${address} cannot be reached from this network`;
    default:
      // OpenSSL's words for it are a line of its source code.
      if (/wrong.version.number/i.test(code + messageOf(error)))
        return `There is no secure connection to ${address}: what answers there speaks no TLS; an address with http:// may be meant`;
      if (isCertificateError(code)) return `There is no secure connection to ${address}: ${messageOf(error).trim()}`;
      return `The connection to ${address} failed: ${messageOf(error)}`;
  }
}

function isCertificateError(code: string): boolean {
  return /CERT|^UNABLE_TO_|^ERR_TLS|^ERR_SSL|^EPROTO$|^HOSTNAME_MISMATCH$/.test(code);
}
