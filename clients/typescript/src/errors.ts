/** What can go wrong. */

import type { components } from "./schema.js";

type Said = components["schemas"]["FailureBody"];

/** Anything that goes wrong between a program and its memories. */
export class CofioError extends Error {
  override readonly name: string = "CofioError";
}

/** No answer came, so what was asked may have been done or not. */
export class UnreachableError extends CofioError {
  override readonly name = "UnreachableError";
}

/** The server answered that it did not do what it was asked. */
export class ApiError extends CofioError {
  override readonly name = "ApiError";
  /** What programs branch on, such as MEMORY_NOT_FOUND. */
  readonly code: string;
  /** The status of HTTP. */
  readonly status: number;
  /** The operation that failed. */
  readonly operation: string | undefined;
  /** Facts that belong to the code. */
  readonly details: Record<string, unknown>;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;

  constructor(response: Response, said?: Said) {
    const { status } = response;
    super(said?.error.message ?? `the answer has the status ${status} and no reason`);
    this.code = said?.error.code ?? "UNKNOWN";
    this.status = status;
    this.operation = said?.error.operation ?? undefined;
    this.details = said?.error.details ?? {};
    this.retryable = said?.error.retryable ?? [429, 502, 503, 504].includes(status);
    this.requestId = said?.request_id ?? response.headers.get("x-request-id") ?? undefined;
  }

  /** Reads what a server, or something in front of it, says went wrong. */
  static async from(response: Response): Promise<ApiError> {
    const said: unknown = await response.json().catch(() => undefined);
    return new ApiError(response, isSaid(said) ? said : undefined);
  }
}

function isSaid(value: unknown): value is Said {
  const error = (value as Partial<Said> | undefined)?.error;
  return typeof error?.code === "string" && typeof error.message === "string";
}
