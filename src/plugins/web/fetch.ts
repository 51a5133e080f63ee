// `web.fetch`: one GET request, its redirects followed, its text as it came.
import * as v from "valibot";
import { BubError } from "../../base/errors.ts";
import { beginningOf } from "../../base/text-preview.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { decodeBody, isBinary, parseContentType } from "./body-text.ts";
import { Deadline } from "./deadline.ts";
import { type Page, parseAddress, requestPage } from "./page.ts";

/** Bytes of a body after decompression. */
const largestBody = 20 * 1024 * 1024;
/** How much of an error's page is read (bytes) and shown (characters). */
const errorBody = 64 * 1024;
const shownOfError = 2_000;

interface WebPage {
  /** Where the last redirect led. */
  readonly url: string;
  readonly status: number;
  /** Without parameters; empty when the server names none. */
  readonly content_type: string;
  readonly body: string;
}

export const webFetch = defineTool({
  name: "web.fetch",
  description: "GET one http(s) URL, following redirects, and return its text unconverted. No search, no browser.",
  input: v.strictObject({
    url: v.string(),
    headers: v.optional(v.pipe(v.record(v.string(), v.string()), v.description("default: Accept: text/markdown"))),
    timeout: v.optional(v.pipe(v.number(), v.gtValue(0), v.description("total seconds")), 10),
  }),
  output: {
    type: "object",
    properties: {
      url: { type: "string" },
      status: { type: "integer" },
      content_type: { type: "string" },
      body: { type: "string" },
    },
    required: ["url", "status", "content_type", "body"],
  },
  async run({ url, headers = {}, timeout }, { signal }): Promise<WebPage> {
    const address = parseAddress(url);
    using deadline = new Deadline(timeout, signal, `GET ${address.shown}`);
    return await deadline.guard(async () => {
      const page = await requestPage(address, { headers, signal: deadline.signal });
      return page.isOk ? readPage(page) : refuse(page);
    });
  },
  render: ({ url, status, content_type: type, body }) =>
    `url: ${url}\nstatus: ${status}\ncontent_type: ${type}\n\n${body}`,
});

async function readPage(page: Page): Promise<WebPage> {
  const { url, status, declaredBytes } = page;
  const type = parseContentType(page.contentType);
  // Sound and films need not come down to be refused, and some never end.
  if (type.isMedia && declaredBytes !== undefined) {
    await page.close();
    throw binary(url, type.name, declaredBytes);
  }
  const { bytes, isWhole } = await page.read(largestBody);
  if (!isWhole) {
    const size = declaredBytes === undefined ? "" : `${declaredBytes} bytes, `;
    throw new BubError("tool", `the body of ${url} is too large: ${size}more than the limit of ${largestBody} bytes`);
  }
  if (isBinary(bytes, type)) throw binary(url, type.name, bytes.length);
  return { url, status, content_type: type.name, body: decodeBody(bytes, type) };
}

function binary(url: string, type: string, bytes: number): BubError {
  return new BubError("tool", `${url} is binary content: ${type === "" ? "of no named type" : type}, ${bytes} bytes`);
}

/** What a server says beside a bad status often tells what to do; its beginning is enough. */
async function refuse(page: Page): Promise<never> {
  const { url, status, statusText } = page;
  const type = parseContentType(page.contentType);
  const { bytes } = await page.read(errorBody);
  const output = isBinary(bytes, type) ? `(binary: ${type.name})` : beginningOf(decodeBody(bytes, type), shownOfError);
  const answer = statusText === "" ? status : `${status} ${statusText}`;
  throw new BubError("tool", `GET ${url} was answered with status ${answer}`, { details: { status, url, output } });
}
