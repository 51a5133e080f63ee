import { expect, test } from "vitest";
import { type Behaviour, destroyed, startFaultServer } from "../testing/fault-server.ts";
import { reachProvider } from "./reach.ts";
import { createTransport } from "./transport.ts";

function answering(status: number, body: string, headers: Record<string, string> = {}): Behaviour {
  return (response) => void response.writeHead(status, { "content-type": "application/json", ...headers }).end(body);
}

async function reach(behaviour: Behaviour, signal = new AbortController().signal) {
  await using server = await startFaultServer([behaviour]);
  const transport = createTransport();
  const access = { apiBase: server.url, wire: "chat", key: "sk-secret-1", keySource: "LAB_KEY" } as const;
  try {
    return await reachProvider(access, { provider: "lab", settings: {}, transport, signal });
  } finally {
    transport.close();
  }
}

test("R4.1 a provider that lists its models is reached; one without a list, too", async () => {
  expect(await reach(answering(200, '{"data":[{"id":"a"},{"id":"b"}]}'))).toEqual(["a", "b"]);
  expect(await reach(answering(200, "[]"))).toBeUndefined();
  expect(await reach(answering(404, "<html>", { "content-type": "text/html" }))).toBeUndefined();
  expect(await reach(answering(405, "{}"))).toBeUndefined();
});

test.each([
  [401, /^lab refused the key from LAB_KEY \(401\)/],
  [403, /^lab refused the key from LAB_KEY \(403\)/],
  [500, /^lab failed to answer \(500\)/],
  [301, /^lab refused the request \(301\)/],
])("R4.1 status %d is told", async (status, sentence) => {
  const refused = reach(answering(status, '{"error":{"message":"no sk-secret-1 here"}}', { location: "http://x/" }));
  await expect(refused).rejects.toThrow(sentence);
  await expect(refused).rejects.not.toThrow(/sk-secret/);
});

test("R4.1 a web page, and a connection that breaks, are told by the address", async () => {
  const page = answering(200, "<html>", { "content-type": "text/html; charset=utf-8" });
  await expect(reach(page)).rejects.toThrow(/\/v1\/models is no API: it answers with text\/html\./);
  await expect(reach(destroyed())).rejects.toThrow(/was closed before an answer came/);
  const cut: Behaviour = (response) => {
    response.writeHead(200, { "content-length": "1000" });
    response.write("{", () => response.destroy());
  };
  await expect(reach(cut)).rejects.toMatchObject({ facts: { failure: "network" } });
});

test("R1.7 an aborted signal ends the wait", async () => {
  const stop = new AbortController();
  const silent: Behaviour = () => stop.abort(new Error("enough"));
  await expect(reach(silent, stop.signal)).rejects.toThrow("enough");
});
