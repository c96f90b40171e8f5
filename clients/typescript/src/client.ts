/** The client: a method for every operation of the API, by its name. */

import { type Settings, Transport } from "./transport.js";
import type { Answer, Body, Expecting, MemoryEvent, Named, Options, Query } from "./types.js";

/** The operations whose answer is one page of several. */
export type Paged =
  | "listMemories"
  | "listProcedures"
  | "listSessions"
  | "listReview"
  | "listAudit"
  | "listChanges";

/** A client of one server; any number of requests may be under way at once. */
export class Cofio {
  readonly #transport: Transport;

  /** Takes where the server is, and the key to it where one is needed. */
  constructor(settings: Settings = {}) {
    this.#transport = new Transport(settings);
  }

  // Memories

  /** Remembers something. */
  createMemory(body: Body<"createMemory">, options: Named = {}): Promise<Answer<"createMemory">> {
    return this.#transport.ask(
      { method: "POST", path: "/v1/memories", body, headers: named(options), repeatable: true },
      options,
    );
  }

  /** Remembers several things together, or none of them. */
  createMemories(
    body: Body<"createMemories">,
    options: Named = {},
  ): Promise<Answer<"createMemories">> {
    return this.#transport.ask(
      {
        method: "POST",
        path: "/v1/memories/bulk",
        body,
        headers: named(options),
        repeatable: true,
      },
      options,
    );
  }

  /** Lists memories page by page; `pages` goes on by itself. */
  listMemories(
    query: Query<"listMemories"> = {},
    options: Options = {},
  ): Promise<Answer<"listMemories">> {
    return this.#transport.ask({ method: "GET", path: "/v1/memories", query }, options);
  }

  /** Reads one memory. */
  getMemory(id: string, options: Options = {}): Promise<Answer<"getMemory">> {
    return this.#transport.ask({ method: "GET", path: `/v1/memories/${segment(id)}` }, options);
  }

  /** Changes a memory; earlier versions stay in its history. */
  updateMemory(
    id: string,
    body: Body<"updateMemory">,
    options: Expecting = {},
  ): Promise<Answer<"updateMemory">> {
    return this.#transport.ask(
      { method: "PATCH", path: `/v1/memories/${segment(id)}`, body, headers: expecting(options) },
      options,
    );
  }

  /** Forgets a memory, and what was concluded from it. */
  deleteMemory(id: string, options: Expecting = {}): Promise<Answer<"deleteMemory">> {
    return this.#transport.ask(
      { method: "DELETE", path: `/v1/memories/${segment(id)}`, headers: expecting(options) },
      options,
    );
  }

  /** Reads everything that a memory was before. */
  getMemoryHistory(id: string, options: Options = {}): Promise<Answer<"getMemoryHistory">> {
    return this.#transport.ask(
      { method: "GET", path: `/v1/memories/${segment(id)}/history` },
      options,
    );
  }

  /** Vouches for a memory. */
  confirmMemory(
    id: string,
    body: Body<"confirmMemory"> = {},
    options: Options = {},
  ): Promise<Answer<"confirmMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/memories/${segment(id)}/confirm`, body },
      options,
    );
  }

  /** Puts what is true in the place of a memory that is wrong. */
  correctMemory(
    id: string,
    body: Body<"correctMemory">,
    options: Options = {},
  ): Promise<Answer<"correctMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/memories/${segment(id)}/correct`, body },
      options,
    );
  }

  /** Puts a memory away. */
  archiveMemory(id: string, options: Options = {}): Promise<Answer<"archiveMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/memories/${segment(id)}/archive` },
      options,
    );
  }

  /** Brings back a memory that was put away or has faded. */
  bringBackMemory(id: string, options: Options = {}): Promise<Answer<"bringBackMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/memories/${segment(id)}/bring-back` },
      options,
    );
  }

  // Finding

  /** Finds the memories that answer a question. */
  searchMemories(
    body: Body<"searchMemories">,
    options: Options = {},
  ): Promise<Answer<"searchMemories">> {
    return this.#transport.ask(
      { method: "POST", path: "/v1/search", body, repeatable: true },
      options,
    );
  }

  /** Says why a memory is not in the answer to a question. */
  whyNot(id: string, body: Body<"whyNot">, options: Options = {}): Promise<Answer<"whyNot">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/memories/${segment(id)}/why-not`, body, repeatable: true },
      options,
    );
  }

  /** Writes a block of markdown for a prompt. */
  buildContext(body: Body<"buildContext">, options: Options = {}): Promise<Answer<"buildContext">> {
    return this.#transport.ask(
      { method: "POST", path: "/v1/context", body, repeatable: true },
      options,
    );
  }

  // Forgetting

  /** Forgets memories by id, by what they are like, or by source. */
  forgetMemories(
    body: Body<"forgetMemories">,
    options: Options = {},
  ): Promise<Answer<"forgetMemories">> {
    return this.#transport.ask({ method: "POST", path: "/v1/forget", body }, options);
  }

  // Knowledge

  /** Lists the people, topics, addresses and dates that memories name. */
  listEntities(
    query: Query<"listEntities"> = {},
    options: Options = {},
  ): Promise<Answer<"listEntities">> {
    return this.#transport.ask({ method: "GET", path: "/v1/entities", query }, options);
  }

  /** Reads what is known of an entity, with the memories that name it. */
  getEntity(
    name: string,
    query: Query<"getEntity"> = {},
    options: Options = {},
  ): Promise<Answer<"getEntity">> {
    return this.#transport.ask(
      { method: "GET", path: `/v1/entities/${segment(name)}`, query },
      options,
    );
  }

  /** Lists statements of subject, predicate and object. */
  listProcedures(
    query: Query<"listProcedures"> = {},
    options: Options = {},
  ): Promise<Answer<"listProcedures">> {
    return this.#transport.ask({ method: "GET", path: "/v1/procedures", query }, options);
  }

  /** Reads what the time since a moment has brought. */
  getBrief(query: Query<"getBrief">, options: Options = {}): Promise<Answer<"getBrief">> {
    return this.#transport.ask({ method: "GET", path: "/v1/brief", query }, options);
  }

  // Conversations

  /** Lists the conversations of which something is kept. */
  listSessions(
    query: Query<"listSessions"> = {},
    options: Options = {},
  ): Promise<Answer<"listSessions">> {
    return this.#transport.ask({ method: "GET", path: "/v1/sessions", query }, options);
  }

  /** Reads the last turns of a conversation. */
  getWindow(
    sessionId: string,
    query: Query<"getWindow"> = {},
    options: Options = {},
  ): Promise<Answer<"getWindow">> {
    return this.#transport.ask(
      { method: "GET", path: `/v1/sessions/${segment(sessionId)}/turns`, query },
      options,
    );
  }

  /** Adds a turn to a conversation's window. */
  pushTurn(
    sessionId: string,
    body: Body<"pushTurn">,
    query: Query<"pushTurn"> = {},
    options: Options = {},
  ): Promise<Answer<"pushTurn">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/sessions/${segment(sessionId)}/turns`, body, query },
      options,
    );
  }

  /** Empties a conversation's window. */
  clearWindow(
    sessionId: string,
    query: Query<"clearWindow"> = {},
    options: Options = {},
  ): Promise<Answer<"clearWindow">> {
    return this.#transport.ask(
      { method: "DELETE", path: `/v1/sessions/${segment(sessionId)}/turns`, query },
      options,
    );
  }

  /** Reads the value under a key. */
  getValue(
    key: string,
    query: Query<"getValue"> = {},
    options: Options = {},
  ): Promise<Answer<"getValue">> {
    return this.#transport.ask(
      { method: "GET", path: `/v1/values/${segment(key)}`, query },
      options,
    );
  }

  /** Keeps a value under a key until the end of the day. */
  setValue(
    key: string,
    body: Body<"setValue">,
    query: Query<"setValue">,
    options: Options = {},
  ): Promise<Answer<"setValue">> {
    return this.#transport.ask(
      { method: "PUT", path: `/v1/values/${segment(key)}`, body, query },
      options,
    );
  }

  // Review

  /** Lists what waits for a person to look at it. */
  listReview(
    query: Query<"listReview"> = {},
    options: Options = {},
  ): Promise<Answer<"listReview">> {
    return this.#transport.ask({ method: "GET", path: "/v1/review", query }, options);
  }

  /** Confirms a memory that waits. */
  approveMemory(
    id: string,
    body: Body<"approveMemory">,
    options: Options = {},
  ): Promise<Answer<"approveMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/review/${segment(id)}/approve`, body },
      options,
    );
  }

  /** Forgets a memory that waits, and never learns it again. */
  rejectMemory(id: string, options: Options = {}): Promise<Answer<"rejectMemory">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/review/${segment(id)}/reject` },
      options,
    );
  }

  /** Lists what was rejected. */
  listRejected(options: Options = {}): Promise<Answer<"listRejected">> {
    return this.#transport.ask({ method: "GET", path: "/v1/review/rejected" }, options);
  }

  /** Lets a text be learnt again that was rejected. */
  permitValue(body: Body<"permitValue">, options: Options = {}): Promise<Answer<"permitValue">> {
    return this.#transport.ask({ method: "POST", path: "/v1/review/permit", body }, options);
  }

  // Maintenance

  /** Lists what the engine did of itself. */
  listMaintenance(
    query: Query<"listMaintenance"> = {},
    options: Options = {},
  ): Promise<Answer<"listMaintenance">> {
    return this.#transport.ask({ method: "GET", path: "/v1/maintenance", query }, options);
  }

  /** Does one task now, or says what it would change. */
  runMaintenance(
    body: Body<"runMaintenance">,
    options: Options = {},
  ): Promise<Answer<"runMaintenance">> {
    return this.#transport.ask({ method: "POST", path: "/v1/maintenance", body }, options);
  }

  /** Reads a job with the changes that it made. */
  getMaintenance(id: string, options: Options = {}): Promise<Answer<"getMaintenance">> {
    return this.#transport.ask({ method: "GET", path: `/v1/maintenance/${segment(id)}` }, options);
  }

  /** Takes back everything that a job changed. */
  undoMaintenance(
    id: string,
    body: Body<"undoMaintenance"> = {},
    options: Options = {},
  ): Promise<Answer<"undoMaintenance">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/maintenance/${segment(id)}/undo`, body },
      options,
    );
  }

  // Keeping

  /** Reads what was done, by whom and when. */
  listAudit(query: Query<"listAudit"> = {}, options: Options = {}): Promise<Answer<"listAudit">> {
    return this.#transport.ask({ method: "GET", path: "/v1/audit", query }, options);
  }

  /** Checks that no entry was changed, moved or left out. */
  verifyAudit(options: Options = {}): Promise<Answer<"verifyAudit">> {
    return this.#transport.ask({ method: "POST", path: "/v1/audit/verify" }, options);
  }

  /** Counts what is kept, by scope, layer and kind. */
  getStats(query: Query<"getStats"> = {}, options: Options = {}): Promise<Answer<"getStats">> {
    return this.#transport.ask({ method: "GET", path: "/v1/stats", query }, options);
  }

  /** Reads what changed, in the order in which it did. */
  listChanges(
    query: Query<"listChanges"> = {},
    options: Options = {},
  ): Promise<Answer<"listChanges">> {
    return this.#transport.ask({ method: "GET", path: "/v1/changes", query }, options);
  }

  /** Lists the caller's jobs. */
  listJobs(options: Options = {}): Promise<Answer<"listJobs">> {
    return this.#transport.ask({ method: "GET", path: "/v1/jobs" }, options);
  }

  /** Asks after a job. */
  getJob(id: string, options: Options = {}): Promise<Answer<"getJob">> {
    return this.#transport.ask({ method: "GET", path: `/v1/jobs/${segment(id)}` }, options);
  }

  /** Lists the keys. */
  listKeys(options: Options = {}): Promise<Answer<"listKeys">> {
    return this.#transport.ask({ method: "GET", path: "/v1/keys" }, options);
  }

  /** Makes a key, which is shown this once. */
  createKey(body: Body<"createKey">, options: Options = {}): Promise<Answer<"createKey">> {
    return this.#transport.ask({ method: "POST", path: "/v1/keys", body }, options);
  }

  /** Makes a key worthless. */
  revokeKey(id: string, options: Options = {}): Promise<Answer<"revokeKey">> {
    return this.#transport.ask({ method: "DELETE", path: `/v1/keys/${segment(id)}` }, options);
  }

  /** Puts a new key in the place of one, which is shown this once. */
  rotateKey(
    id: string,
    body: Body<"rotateKey"> = {},
    options: Options = {},
  ): Promise<Answer<"rotateKey">> {
    return this.#transport.ask(
      { method: "POST", path: `/v1/keys/${segment(id)}/rotate`, body },
      options,
    );
  }

  /** Yields everything that is open to the caller, line by line; the last has a checksum. */
  exportMemories(options: Options = {}): AsyncGenerator<string> {
    return this.#transport.lines({ method: "GET", path: "/v1/export" }, options);
  }

  /** Takes in lines that an export wrote, each with a line feed at its end. */
  importMemories(
    lines: BodyInit,
    query: Query<"importMemories"> = {},
    options: Options = {},
  ): Promise<Answer<"importMemories">> {
    return this.#transport.ask({ method: "POST", path: "/v1/import", lines, query }, options);
  }

  /**
   * Yields changes as they happen, for as long as somebody takes them.
   *
   * Where the connection breaks, it goes on without a gap; `since` goes on from an event's
   * `sequence` in another process.
   */
  followMemories(
    query: Query<"followMemories"> = {},
    options: Options = {},
  ): AsyncGenerator<MemoryEvent, never> {
    return this.#transport.follow({ method: "GET", path: "/v1/stream", query }, options);
  }

  /** Yields a page and all that follow, each when it is needed. */
  async *pages<Name extends Paged>(
    list: Name,
    query: Query<Name>,
    options: Options = {},
  ): AsyncGenerator<Answer<Name>> {
    const ask = this[list].bind(this) as (query: Place, options: Options) => Promise<Following>;
    for (let place: Place | undefined = query; place !== undefined; ) {
      const page: Following = await ask(place, options);
      yield page as Answer<Name>;
      place = following(place, page);
    }
  }
}

/** Where a page begins. */
interface Place {
  cursor?: string;
  after?: number;
}

/** Where the next page begins. */
interface Following {
  nextCursor?: string | null;
  nextAfter?: number;
}

/** Some lists name a cursor while there is more, and some a place, which stops where they end. */
function following(place: Place, page: Following): Place | undefined {
  if (page.nextCursor) {
    return { ...place, cursor: page.nextCursor };
  }
  const { nextAfter = 0 } = page;
  return nextAfter === (place.after ?? 0) ? undefined : { ...place, after: nextAfter };
}

/** Returns a text as one segment of a path. */
function segment(text: string): string {
  if (["", ".", ".."].includes(text)) {
    // Every address would leave it out, and lead elsewhere.
    throw new TypeError(`${JSON.stringify(text)} cannot be part of a path`);
  }
  return encodeURIComponent(text);
}

function named(options: Named): Record<string, string> {
  return { "idempotency-key": options.idempotencyKey ?? crypto.randomUUID() };
}

function expecting({ ifVersion }: Expecting): Record<string, string> {
  return ifVersion === undefined ? {} : { "if-match": `"${ifVersion}"` };
}
