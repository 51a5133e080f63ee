// `fetch` on our own connections: no time-outs of its own, and redirects are not followed, since that would hand the key on.
import type { Transport } from "../transport.ts";

/** Does what provider packages need of it: GET and POST with whole bodies, answers that stream. */
export function createTransportFetch(transport: Transport): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, { ...init, ...(init?.body !== undefined && { duplex: "half" }) } as RequestInit);
    const { url, method, signal } = request;
    const headers = Object.fromEntries(request.headers);
    const call = { url, headers, signal: init?.signal ?? signal };
    if (method !== "GET" && method !== "POST") throw new Error(`a provider of models has no use for ${method}`);
    const body = new Uint8Array(await request.arrayBuffer());
    const answer = method === "GET" ? await transport.get(call) : await transport.post({ ...call, body: [body] });
    const chunks = answer.body[Symbol.asyncIterator]();
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => answer.destroy(),
    });
    const given = Object.entries(answer.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    );
    const isEmpty = [204, 205, 304].includes(answer.status);
    return new Response(isEmpty ? null : stream, { status: answer.status, headers: given });
  };
}
