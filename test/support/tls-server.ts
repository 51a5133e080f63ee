// A server whose certificate nobody vouches for, with a key made for the test.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TlsServer extends AsyncDisposable {
  /** `https://127.0.0.1:<port>` */
  readonly url: string;
  /** Requests that came through. */
  readonly asked: number;
}

/** Needs `openssl`. */
export async function startTlsServer(): Promise<TlsServer> {
  let asked = 0;
  const server = createServer(selfSigned(), (_request, response) => {
    asked++;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get asked() {
      return asked;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function selfSigned(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), "bub-tls-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-days", "1", "-nodes"];
  const files = ["-keyout", key, "-out", cert];
  const { status, stderr } = spawnSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", ...files, ...subject]);
  if (status !== 0) throw new Error(`openssl made no key: ${String(stderr)}`);
  const made = { key: readFileSync(key), cert: readFileSync(cert) };
  rmSync(folder, { recursive: true });
  return made;
}
