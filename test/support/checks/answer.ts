/** What every test requires of an API response. */

import assert from 'node:assert/strict';
import type { Answer } from '../running/daemon.ts';

/** Asserts a failure: this status, exactly `{ error }`, and words that give the reason. */
export function assertRefused(answer: Answer, status: number, words: RegExp, what = ''): void {
  assert.equal(answer.status, status, `${what}: ${JSON.stringify(answer.body)}`);
  assert.deepEqual(Object.keys(answer.body), ['error'], what);
  assert.match(answer.body.error, words, what);
  assert.doesNotMatch(answer.body.error, /\n/, `${what}: one line`);
  assert.match(answer.headers.get('content-type') ?? '', /^application\/json/, what);
}
