/** Sends requests, repeats what may be repeated, and reads what comes back. */

import { ApiError, UnreachableError } from "./errors.js";
import { comeback, type Outcome, pause, sleep } from "./retries.js";
import { Events, texts } from "./streams.js";
import type { Options } from "./types.js";

/** Something comes every 15 seconds, or a stream is dead. */
const SILENCE = 45_000;

/** Where a server is, and how patiently it is asked. */
export interface Settings {
  /** Where the server listens; where `cofio serve` does if nothing is said. */
  baseUrl?: string;
  /** The key, where one is needed. */
  key?: string;
  /** How many milliseconds an answer may take. */
  timeout?: number;
  /** How often to ask again what may be asked again. */
  retries?: number;
  /** Sends requests, in place of the platform's own. */
  fetch?: typeof fetch;
}

/** One request as it is described, before anybody sends it. */
export interface Request {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  query?: object | undefined;
  body?: unknown;
  /** Lines to send along in place of a body in JSON. */
  lines?: BodyInit | undefined;
  headers?: Record<string, string>;
  /** Whether asking twice does no more than asking once. */
  repeatable?: boolean;
}

/** Sends requests to one server. */
export class Transport {
  readonly #baseUrl: string;
  readonly #headers: Record<string, string>;
  readonly #timeout: number;
  readonly #retries: number;
  readonly #fetch: typeof fetch;

  constructor(settings: Settings) {
    this.#baseUrl = (settings.baseUrl ?? "http://127.0.0.1:7717").replace(/\/+$/, "");
    this.#headers = settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` };
    this.#timeout = settings.timeout ?? 30_000;
    this.#retries = settings.retries ?? 2;
    this.#fetch = settings.fetch ?? fetch.bind(globalThis);
  }

  /** Returns the answer in JSON, or throws what went wrong. */
  async ask<T>(request: Request, options: Options = {}): Promise<T> {
    const limit = (): AbortSignal => AbortSignal.timeout(this.#timeout);
    const response = await this.#open(request, options, limit);
    return (await response.json()) as T;
  }

  /** Yields the lines of an answer while it comes. */
  async *lines(request: Request, options: Options = {}): AsyncGenerator<string> {
    const silence = new Silence(SILENCE);
    try {
      const response = await this.#open(request, options, () => silence.signal);
      let rest = "";
      for await (const text of response.body === null ? [] : texts(response.body)) {
        silence.broken();
        // Only a line feed ends a line.
        const parts = (rest + text).split("\n");
        rest = parts.pop() ?? "";
        yield* parts;
      }
      if (rest !== "") {
        yield rest;
      }
    } finally {
      silence.end();
    }
  }

  /** Returns an answer whose body is still to come. */
  async #open(request: Request, options: Options, limit: () => AbortSignal): Promise<Response> {
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#send(request, limit(), options.signal);
      if (outcome instanceof Response && outcome.ok) {
        return outcome;
      }
      const wait = attempt < this.#retries ? pause(isRepeatable(request), attempt, outcome) : undefined;
      if (wait === undefined) {
        throw await failure(request, outcome);
      }
      await sleep(wait, options.signal);
    }
  }

  /** Yields events for as long as somebody takes them, whatever breaks in between. */
  async *follow<T>(request: Request, options: Options = {}): AsyncGenerator<T, never> {
    const events = new Events<T>();
    // The first connection has to succeed; after that, it is a matter of time.
    for (let failures = -1; ; failures += 1) {
      const silence = new Silence(SILENCE);
      const headers = { ...request.headers, accept: "text/event-stream" };
      const resumed = events.last === undefined ? headers : { ...headers, "last-event-id": events.last };
      const sent = { ...request, headers: resumed };
      let outcome = await this.#send(sent, silence.signal, options.signal);
      if (outcome instanceof Response && outcome.ok && outcome.body !== null) {
        failures = 0;
        try {
          for await (const text of texts(outcome.body)) {
            silence.broken();
            yield* events.feed(text);
          }
        } catch (error) {
          options.signal?.throwIfAborted();
          outcome = error as Error;
        }
      }
      silence.end();
      const wait = failures < 0 ? undefined : comeback(events.pause, failures, outcome);
      if (wait === undefined) {
        throw await failure(request, outcome);
      }
      events.restart();
      await sleep(wait, options.signal);
    }
  }

  async #send(request: Request, limit: AbortSignal, signal?: AbortSignal): Promise<Outcome> {
    signal?.throwIfAborted();
    try {
      const { form, ...sent } = content(request);
      return await this.#fetch(this.#baseUrl + request.path + written(request.query), {
        ...sent,
        method: request.method,
        headers: { accept: "application/json", ...form, ...this.#headers, ...request.headers },
        signal: signal === undefined ? limit : AbortSignal.any([limit, signal]),
      });
    } catch (error) {
      signal?.throwIfAborted();
      return error instanceof Error ? error : new Error(String(error));
    }
  }
}

/** Ends a connection on which nothing comes. */
class Silence {
  readonly #controller = new AbortController();
  readonly #longest: number;
  #timer: ReturnType<typeof setTimeout>;

  constructor(longest: number) {
    this.#longest = longest;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    this.end();
    this.#timer = this.#start();
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #start(): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#controller.abort(new Error("nothing came")), this.#longest);
  }
}

function isRepeatable(request: Request): boolean {
  return request.repeatable ?? request.method === "GET";
}

/** Returns what stands behind the question mark, a list as several of its name. */
function written(query: object = {}): string {
  const names = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        names.append(name, String(one));
      }
    }
  }
  return names.size === 0 ? "" : `?${names.toString()}`;
}

/** Returns what is sent along in the words of fetch, with the header that names its form. */
function content(request: Request): RequestInit & { form?: Record<string, string> } {
  if (request.lines !== undefined) {
    // Node and browsers want to be told that the answer comes after all of a stream.
    const half = request.lines instanceof ReadableStream ? { duplex: "half" } : {};
    return { body: request.lines, form: { "content-type": "application/x-ndjson" }, ...half };
  }
  return request.body === undefined
    ? {}
    : { body: JSON.stringify(request.body), form: { "content-type": "application/json" } };
}

async function failure(request: Request, outcome: Outcome): Promise<Error> {
  if (outcome instanceof Response) {
    return ApiError.from(outcome);
  }
  const where = `${request.method} ${request.path}`;
  return new UnreachableError(`${where} was not answered: ${outcome.message}`, { cause: outcome });
}
