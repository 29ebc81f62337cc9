/** What every test demands of an answer of the API. */

import assert from 'node:assert/strict';
import type { Answer } from '../running/daemon.ts';

/** Demands a failure: this status, `{ error }` and nothing else, and words that tell why. */
export function assertRefused(answer: Answer, status: number, words: RegExp, what: string): void {
  assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
  assert.deepEqual(Object.keys(answer.body), ['error'], what);
  assert.match(answer.body.error, words, what);
  assert.doesNotMatch(answer.body.error, /\n/, `${what}: one line`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, what);
}
