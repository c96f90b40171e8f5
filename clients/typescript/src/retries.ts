/** Whether to ask again, and when. */

const FIRST_PAUSE = 200;
const LONGEST_PAUSE = 30_000;
const PASSING = [429, 502, 503, 504];

/** What came of a request: an answer, or why there is none. */
export type Outcome = Response | Error;

/**
 * Returns how many milliseconds to wait before asking again; undefined is never.
 *
 * Only what does no more when it is asked twice is asked again. The one exception is what the
 * server turned away for coming too often, as nothing was done with it.
 */
export function pause(repeatable: boolean, attempt: number, outcome: Outcome): number | undefined {
  if (outcome instanceof Error) {
    return repeatable ? backoff(attempt) : undefined;
  }
  const { status } = outcome;
  if (!PASSING.includes(status) || !(repeatable || status === 429)) {
    return undefined;
  }
  const wanted = seconds(outcome.headers.get("retry-after"));
  if (wanted === undefined) {
    return backoff(attempt);
  }
  return wanted * 1000 <= LONGEST_PAUSE ? wanted * 1000 : undefined;
}

/** Returns how many milliseconds to wait before a stream that broke off goes on. */
export function comeback(wanted: number, attempt: number, outcome: Outcome): number | undefined {
  const over = outcome instanceof Response && !outcome.ok && !PASSING.includes(outcome.status);
  return over ? undefined : Math.max(wanted, backoff(attempt));
}

/** Waits, unless the signal says that nobody does any more. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(done, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    function done(): void {
      signal?.removeEventListener("abort", stop);
      resolve();
    }
    signal?.addEventListener("abort", stop, { once: true });
  });
}

function backoff(attempt: number): number {
  // Clients that failed together should not come back together.
  const longest = Math.min(FIRST_PAUSE * 2 ** attempt, LONGEST_PAUSE);
  return longest * (0.5 + Math.random() / 2);
}

/** Returns the seconds that a server asks to wait, be it a number or a moment. */
function seconds(header: string | null): number | undefined {
  if (header === null) {
    return undefined;
  }
  if (/^\d+$/.test(header.trim())) {
    return Number(header);
  }
  const moment = Date.parse(header);
  return Number.isNaN(moment) ? undefined : Math.max(0, (moment - Date.now()) / 1000);
}
