import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import openapiTS, { astToString } from "openapi-typescript";
import { Cofio } from "../src/index.js";
import { url } from "./server.js";

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>;
}

async function native(): Promise<{ path: string; method: string; name: string }[]> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as Document;
  return Object.entries(document.paths)
    .filter(([path]) => path.startsWith("/v1/") && !path.endsWith("/"))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId: name }]) => ({ path, method, name })),
    );
}

test("the types are those that the server documents", async () => {
  const generated = astToString(await openapiTS(new URL(`${url}/openapi.json`), { defaultNonNullable: false }));
  const kept = await readFile(new URL("../../src/schema.ts", import.meta.url), "utf8");
  const code = kept.slice(kept.indexOf("export interface paths"));
  assert.equal(code, generated, "src/schema.ts is not up to date: npm run generate");
});

test("every operation is a method that asks as the server documents", async () => {
  const asked: string[] = [];
  const record: typeof fetch = (input, init) => {
    asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
    return Promise.resolve(new Response("{}", { status: 400 }));
  };
  const cofio = new Cofio({ baseUrl: url, fetch: record });
  const operations = await native();
  assert(operations.length > 30, "the document lists them");
  for (const { path, method, name } of operations) {
    const verb = (cofio as unknown as Record<string, (...args: unknown[]) => unknown>)[name];
    assert(typeof verb === "function", `${name} is not a method`);
    const names = path.match(/\{\w+\}/g) ?? [];
    const result = verb.call(cofio, ...names.map(() => "x"), {});
    const first = isStream(result) ? result.next() : (result as Promise<unknown>);
    await assert.rejects(first as Promise<unknown>, { status: 400 });
    assert.equal(asked.pop(), `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "x")}`);
  }
});

function isStream(result: unknown): result is AsyncGenerator<unknown> {
  return typeof (result as AsyncGenerator<unknown>).next === "function";
}
