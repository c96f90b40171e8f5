/** Names for what is sent and what comes back. */

import type { components, operations } from "./schema.js";

/** Every type of the API by its name, such as `Schemas["MemoryEntry"]`. */
export type Schemas = components["schemas"];

/** Every operation of the API. */
export type Operation = keyof operations;

/** What stands behind the question mark. */
export type Query<Name extends Operation> = NonNullable<operations[Name]["parameters"]["query"]>;

/** What is sent along. */
export type Body<Name extends Operation> =
  NonNullable<operations[Name]["requestBody"]> extends {
    content: { "application/json": infer Sent };
  }
    ? Sent
    : never;

/** What comes back. */
export type Answer<Name extends Operation> = operations[Name]["responses"] extends
  | { 200: { content: { "application/json": infer Answered } } }
  | { 201: { content: { "application/json": infer Answered } } }
  ? Answered
  : never;

/** What is told of a change. */
export type MemoryEvent = Schemas["MemoryEvent"];

/** How one request is made. */
export interface Options {
  /** Ends the request when nobody waits for it any more. */
  signal?: AbortSignal;
}

/** How one request is made that may be repeated under a name. */
export interface Named extends Options {
  /** A name for the request: with the same one it is done once; made up if none is given. */
  idempotencyKey?: string;
}

/** How one request is made that changes a memory. */
export interface Expecting extends Options {
  /** Only if the memory still has this version. */
  ifVersion?: number;
}
