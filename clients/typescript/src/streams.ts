/** Server-sent events, put together from the pieces in which they come. */

/** Puts pieces together to events, and remembers where to go on. */
export class Events<T> {
  /** The place after which to go on. */
  last: string | undefined;
  /** How many milliseconds the server asks to wait before coming back. */
  pause = 1000;
  #rest = "";
  #id: string | undefined;
  #data: string[] = [];

  /** Takes a piece of a stream, and yields the data of the events that end in it. */
  *feed(piece: string): Generator<T> {
    // A carriage return at the end of a piece may be half of the end of a line.
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        this.last = this.#id ?? this.last;
        const data = this.#data.splice(0).join("\n");
        if (data !== "") {
          yield JSON.parse(data) as T;
        }
      } else {
        this.#read(line);
      }
    }
  }

  /** Drops an event that broke off. */
  restart(): void {
    this.#rest = "";
    this.#id = undefined;
    this.#data = [];
  }

  #read(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "id" && !value.includes("\0")) {
      this.#id = value;
    } else if (name === "data") {
      this.#data.push(value);
    } else if (name === "retry" && /^\d+$/.test(value)) {
      this.pause = Number(value);
    }
  }
}

/** Yields the text of a body while it comes. */
export async function* texts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      yield decoder.decode(next.value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Whoever stops reading wants no more of it.
    await reader.cancel().catch(() => undefined);
  }
}
