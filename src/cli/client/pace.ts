/** Requests at a pace that leaves others with the same key room in its rate limit. */

/** A key has 120 requests in 60 s: half of them are taken, some at once. */
const perSecond = 1;
const atOnce = 20;

/** Makes what is awaited before each request. `wait` waits so many milliseconds. */
export function createPace(
  monotonicMs: () => number,
  wait: (ms: number) => Promise<void>,
): () => Promise<void> {
  let tokens = atOnce;
  let at = monotonicMs();
  return async () => {
    const now = monotonicMs();
    tokens = Math.min(atOnce, tokens + ((now - at) / 1_000) * perSecond) - 1;
    at = now;
    if (tokens < 0) await wait((-tokens / perSecond) * 1_000);
  };
}
