/** Requests that may be repeated: what they make is made once for each `Idempotency-Key` (docs/behavior.md#api-11). */

/** How long a key is remembered, and of how many: a workspace keeps the newest. */
export const rememberedMs = 86_400_000;
export const rememberedKeys = 10_000;

/** A request with an `Idempotency-Key`. */
export interface Repeatable {
  key: string;
  /** Method, path and body: the same key with other ones is refused. */
  request: string;
}
