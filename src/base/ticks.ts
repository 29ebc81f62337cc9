/** Keeps `process.nextTick` fast, which node calls some four times for each request. */

import { executionAsyncResource } from 'node:async_hooks';

let kept: object | undefined;

/**
 * Keeps one of the objects that `process.nextTick` makes. V8 knows their shape from its first calls, and forgets it when a full
 * garbage collection finds none of them alive; each later one is then made some ten times as slowly, for the rest of
 * the process. To be called before the first such collection, in each thread.
 */
export function keepTickShape(): void {
  process.nextTick(() => {
    kept ??= executionAsyncResource();
  });
}
