// Behaviours of a compatible server as somebody meets it who sets Bub up: a list of models, and one word for each question.
import type { Behaviour, SeenRequest } from "../../src/testing/fault-server.ts";
import { answering } from "./chat-server.ts";

export interface ListServerOptions {
  /** The only key that is taken; any by default. */
  key?: string;
}

/** Lists these models; another name, or a wrong key, is refused as a provider does. */
export function modelServer(ids: readonly string[], { key }: ListServerOptions = {}): Behaviour {
  const answer = answering(() => ({ text: "ready" }));
  return (response, request) => {
    const refuse = (status: number, message: string) =>
      void response
        .writeHead(status, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message } }));
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`) return refuse(401, "No such key");
    if (request.path.endsWith("/models"))
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ data: ids.map((id) => ({ id })) }));
    return ids.includes(modelOf(request)) ? answer(response, request) : refuse(404, "No such model");
  };
}

/** A web page, as behind a wrong address. */
export const webPage: Behaviour = (response) =>
  void response.writeHead(200, { "content-type": "text/html" }).end("<html><body>Welcome</body></html>");

function modelOf({ body }: SeenRequest): string {
  return (JSON.parse(body.toString("utf8")) as { model: string }).model;
}
