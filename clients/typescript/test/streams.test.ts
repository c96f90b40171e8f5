import assert from "node:assert/strict";
import { test } from "node:test";
import { Cofio, type MemoryEvent } from "../src/index.js";
import { Events } from "../src/streams.js";
import { cofio, project, url } from "./server.js";

function all(pieces: string[]): { data: unknown[]; last: string | undefined } {
  const events = new Events<unknown>();
  return { data: pieces.flatMap((piece) => [...events.feed(piece)]), last: events.last };
}

test("events are put together however they are cut", () => {
  const stream =
    'retry: 5\nid: 1\n\n: hello\nid: 2\nevent: created\ndata: {"a":\ndata: "\u2028"}\n\ndata:[1]\r\n\r\n';
  const expected = { data: [{ a: "\u2028" }, [1]], last: "2" };
  assert.deepEqual(all([stream]), expected);
  assert.deepEqual(all([...stream]), expected);
  assert.deepEqual(all([`${stream}id: 3\ndata: {"bro`]), expected);
});

test("changes are followed without a gap, however often the connection breaks", async () => {
  const projectId = project();
  // It ends every connection after one more event.
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    let left = 1;
    const limited = new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        controller.enqueue(piece);
        if (new TextDecoder().decode(piece).includes("data:") && (left -= 1) === 0) {
          controller.terminate();
        }
      },
    });
    return new Response(response.body?.pipeThrough(limited) ?? null, response);
  };
  const flaky = new Cofio({ baseUrl: url, fetch: breaking });
  const { changes } = await cofio.listChanges({ limit: 1000 });
  const since = changes.at(-1)?.sequence ?? 0;
  const stop = new AbortController();
  const stream = flaky.followMemories({ since, projectId }, { signal: stop.signal });
  const told: MemoryEvent[] = [];
  for (let number = 0; number < 3; number += 1) {
    const content = `number ${number}`;
    await cofio.createMemory({ content, layer: "project", identifiers: { projectId } });
    const next = await stream.next();
    told.push(next.value);
  }
  assert.deepEqual(told.map((event) => event.memory?.content), ["number 0", "number 1", "number 2"]);
  const waiting = stream.next();
  stop.abort(new Error("enough"));
  await assert.rejects(waiting, { message: "enough" });
});

test("what is exported is taken in again", async () => {
  const projectId = project();
  await cofio.createMemory({ content: "Tea is green", layer: "project", identifiers: { projectId } });
  const lines: string[] = [];
  for await (const line of cofio.exportMemories()) {
    lines.push(line);
  }
  assert(lines.some((line) => line.includes(projectId)));
  const bundle = lines.map((line) => `${line}\n`).join("");
  const stream = new Blob([bundle]).stream() as ReadableStream<Uint8Array>;
  const taken = await cofio.importMemories(stream, { dryRun: true, onPossibleSecret: "keep" });
  assert.equal(taken.created, 0);
  assert(taken.skipped > 0);
});
