import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { promisify } from "node:util";
import { fileURLToPath } from "node:url";
import { url } from "./server.js";

test("what the README shows is what happens", async () => {
  const readme = await readFile(new URL("../../README.md", import.meta.url), "utf8");
  const [, code, expected] = /```ts\n(.*?)```\n\n```text\n(.*?)```/s.exec(readme) ?? [];
  assert(code !== undefined && expected !== undefined);
  const example = new URL("./example.mjs", import.meta.url);
  const here = code.replace("@cofio/client", "../src/index.js");
  await writeFile(example, here.replace("http://127.0.0.1:7717", url));
  try {
    const ran = await promisify(execFile)(process.execPath, [fileURLToPath(example)]);
    assert.equal(ran.stdout, expected);
  } finally {
    await rm(example);
  }
});
