/** A target that answers only when told to, and counts the waiting requests. */

import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { startSink, type Sink } from './sink.ts';
import { until } from '../until.ts';

export interface HeldSink extends Sink {
  /** Unanswered requests now, and the most there ever were. */
  readonly waiting: number;
  readonly mostWaiting: number;
  /** Resolves when this many requests wait. */
  waitFor(count: number): Promise<unknown>;
  /** Answers the oldest waiting requests (default: all) with this status. */
  release(count?: number, status?: number): void;
}

/** Starts it; it ends with the test. */
export async function startHeldSink(t: TestContext): Promise<HeldSink> {
  const held: ServerResponse[] = [];
  let mostWaiting = 0;
  const sink = await startSink(t, (response) => {
    held.push(response);
    mostWaiting = Math.max(mostWaiting, held.length);
  });
  return {
    ...sink,
    get waiting() {
      return held.length;
    },
    get mostWaiting() {
      return mostWaiting;
    },
    waitFor: (count) => until(`${count} waiting requests`, () => held.length >= count),
    release(count = held.length, status = 200) {
      for (const response of held.splice(0, count)) response.writeHead(status).end('released');
    },
  };
}
