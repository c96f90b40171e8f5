/** A client of Cofio, the memory engine for AI agents. */

export { Cofio, type Paged } from "./client.js";
export { ApiError, CofioError, UnreachableError } from "./errors.js";
export type { Settings } from "./transport.js";
export type {
  Answer,
  Body,
  Expecting,
  MemoryEvent,
  Named,
  Operation,
  Options,
  Query,
  Schemas,
} from "./types.js";
