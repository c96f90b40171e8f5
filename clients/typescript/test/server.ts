/** The server to test with, whose address the variable COFIO_TEST_URL names. */

import assert from "node:assert/strict";
import { Cofio } from "../src/index.js";

const found = process.env["COFIO_TEST_URL"];
assert(found, "COFIO_TEST_URL names the server to test with, as `cofio serve` says it");

/** Where the server is. */
export const url = found;

/** A client of the server. */
export const cofio = new Cofio({ baseUrl: url });

/** Returns a project that no other test has. */
export function project(): string {
  return `test-${crypto.randomUUID()}`;
}
