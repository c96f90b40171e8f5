import assert from "node:assert/strict";
import { test } from "node:test";
import { ApiError, Cofio, UnreachableError } from "../src/index.js";
import { cofio, project, url } from "./server.js";

test("a memory is remembered, read, changed and forgotten", async () => {
  const made = await cofio.createMemory({
    content: "The ferry sails at nine",
    layer: "project",
    identifiers: { projectId: project() },
  });
  const { id } = made.memory;
  assert.equal(made.existing, false);
  assert.equal((await cofio.getMemory(id)).memory.content, "The ferry sails at nine");
  const changed = await cofio.updateMemory(id, { content: "At ten" }, { ifVersion: 1 });
  assert.equal(changed.memory.version, 2);
  const { earlier } = await cofio.getMemoryHistory(id);
  assert.deepEqual(earlier.map((memory) => memory.content), ["The ferry sails at nine"]);
  assert.deepEqual((await cofio.deleteMemory(id)).ids, [id]);
  await assert.rejects(cofio.getMemory(id), { name: "ApiError", status: 404 });
});

test("a failure says what programs and people need", async () => {
  const error = await cofio.createMemory({ content: "tea", layer: "planet" }).catch((e: unknown) => e);
  assert(error instanceof ApiError);
  assert.deepEqual([error.code, error.status, error.retryable], ["INVALID_LAYER", 422, false]);
  assert(error.requestId);
  const wrong = new Cofio({ baseUrl: url, key: "not-a-key" });
  await assert.rejects(wrong.listMemories(), { status: 401, code: "UNAUTHORIZED" });
});

test("what has odd names is asked for as it is", async () => {
  for (const id of ["../stats", "a/b", "%2e", "ä?#", " "]) {
    await assert.rejects(cofio.getMemory(id), { status: 404, operation: "getMemory" });
  }
  for (const id of ["", ".", ".."]) {
    assert.throws(() => cofio.deleteMemory(id), TypeError);
  }
});

test("a conversation is learnt from, told of and taken back", async () => {
  const conversation = project();
  const said = await cofio.createMemory({
    content: "I live in Cardiff",
    layer: "session",
    kind: "episode",
    identifiers: { sessionId: conversation },
  });
  const task = { task: "consolidate", conversation };
  const planned = await cofio.runMaintenance({ ...task, dryRun: true });
  assert.equal(planned.job, null);
  assert.deepEqual(planned.plan?.[0]?.steps.map((step) => step.change), ["created"]);
  const { job } = await cofio.runMaintenance(task);
  assert(job);
  assert.deepEqual([job.state, job.created], ["completed", 1]);
  const { jobs } = await cofio.listMaintenance({ task: "consolidate" });
  assert(jobs.some((one) => one.id === job.id));
  const { changes } = await cofio.getMaintenance(job.id);
  const place = { since: said.memory.createdAt, layer: ["session"], sessionId: conversation };
  const learnt = (await cofio.getBrief(place)).learnt.map((fact) => fact.id);
  assert.deepEqual(learnt, changes.map((change) => change.id));
  assert.equal((await cofio.undoMaintenance(job.id)).job?.undoes, job.id);
  const brief = await cofio.getBrief(place);
  assert.deepEqual([brief.learnt, brief.forgotten], [[], 1]);
  await assert.rejects(cofio.getMaintenance("job_nonsense"), { status: 404 });
});

test("pages follow one another", async () => {
  const projectId = project();
  const texts = Array.from({ length: 7 }, (_, number) => `number ${number}`);
  const memories = texts.map((content) => ({
    content,
    layer: "project",
    identifiers: { projectId },
  }));
  await cofio.createMemories({ memories });
  const sizes: number[] = [];
  const found: string[] = [];
  for await (const page of cofio.pages("listMemories", { projectId, layer: ["project"], limit: 3 })) {
    sizes.push(page.memories.length);
    found.push(...page.memories.map((memory) => memory.content));
  }
  assert.deepEqual(sizes, [3, 3, 1]);
  assert.deepEqual(found.sort(), texts);
});

test("a request that fails at first is answered, and done once", async () => {
  const broken: string[] = [];
  const breaking: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    const path = new URL(String(input)).pathname;
    if (!broken.includes(path)) {
      broken.push(path);
      throw new TypeError("broken");
    }
    return response;
  };
  const flaky = new Cofio({ baseUrl: url, fetch: breaking });
  const identifiers = { projectId: project() };
  const body = { content: "Tea is green", layer: "project", kind: "working", identifiers };
  const { memory } = await flaky.createMemory(body);
  const query = { projectId: identifiers.projectId, layer: ["project"] };
  assert.equal((await cofio.listMemories(query)).totalCount, 1);
  await assert.rejects(flaky.updateMemory(memory.id, { content: "black" }), UnreachableError);
  assert.deepEqual(broken, ["/v1/memories", `/v1/memories/${memory.id}`]);
});

test("whoever waits no longer is told so at once", async () => {
  const reason = new Error("enough");
  await assert.rejects(cofio.listMemories({}, { signal: AbortSignal.abort(reason) }), reason);
  const nobody = new Cofio({ baseUrl: "http://127.0.0.1:9", retries: 1 });
  await assert.rejects(nobody.listMemories(), UnreachableError);
});
