/** What asks within one turn of the event loop is one question to the store. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sha256Of } from '../../../src/app/accounts/secrets.ts';
import { createSharedAdmissions } from '../../../src/app/accounts/shared-admissions.ts';
import { systemClock } from '../../../src/domain/clock.ts';
import { noKeys } from '../../support/fakes/admissions.ts';
import type { Admissions, Asked } from '../../../src/store/database/admissions.ts';

const [one, other, unknown] = ['1', '2', '3'].map((digit) => `cp_${digit.repeat(64)}`) as [
  string,
  string,
  string,
];
const hashes = new Map([one, other, unknown].map((key) => [sha256Of(key), key]));

/** A store that knows two keys and admits two requests of each question. */
function setup() {
  const questions: (readonly Asked[])[] = [];
  let failure: Error | null = null;
  let held = Promise.resolve();
  const shared: Admissions = {
    async admit(asked) {
      questions.push(asked);
      await held;
      if (failure !== null) throw failure;
      const known = asked.filter(({ sha256 }) => hashes.get(sha256) !== unknown);
      return known.map(({ sha256, requests }) => {
        const id = hashes.get(sha256) ?? '';
        const key = { id, sha256, name: '', workspaceId: '', permission: 'read' as const };
        const admitted = Math.min(requests, 2);
        const left = { admitted, remaining: 2 - admitted, moreInMs: 1_000 };
        return Object.assign(key, left, { accountExpiresAt: null, expiresAt: null, hasWindows: 0 });
      });
    },
    count: async () => null,
  };
  const { ask } = createSharedAdmissions(shared, noKeys, systemClock);
  const askAll = async (keys: readonly string[]) =>
    (await Promise.all(keys.map(ask))).map(
      (found) => found && [found.asker.actor.id, found.left.isAdmitted, found.left.remaining],
    );
  /** Lets all questions wait until this is called. */
  const hold = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  return { questions, askAll, hold, fail: (error: Error | null) => void (failure = error) };
}

test('requests of one turn are one question, in which each key is once', async () => {
  const { questions, askAll } = setup();
  assert.deepEqual(await askAll([one, unknown, one, other, 'no key', one]), [
    [one, true, 1],
    undefined,
    [one, true, 0],
    [other, true, 1],
    undefined,
    [one, false, 0],
  ]);
  assert.equal(questions.length, 1);
  assert.deepEqual(
    questions[0]?.map(({ sha256, requests }) => [hashes.get(sha256), requests]),
    [
      [one, 3],
      [unknown, 1],
      [other, 1],
    ],
  );
});

test('two questions may be under way; what asks meanwhile is the next one', async () => {
  const { questions, askAll, hold } = setup();
  const release = hold();
  const asked = [];
  for (let turn = 0; turn < 5; turn += 1) {
    asked.push(askAll([one, other]));
    await setImmediate();
  }
  assert.equal(questions.length, 2);
  release();
  await Promise.all(asked);
  assert.deepEqual(
    questions.map((question) => question.map(({ requests }) => requests)),
    [
      [1, 1],
      [1, 1],
      [3, 3],
    ],
  );
  assert.deepEqual(await askAll(['no key']), [undefined]);
  assert.equal(questions.length, 3, 'what cannot be a key is not asked');
});

test('a question that fails fails all who asked it or waited for it, and nobody later', async () => {
  const { questions, askAll, hold, fail } = setup();
  const release = hold();
  const asked = [];
  for (let turn = 0; turn < 4; turn += 1) {
    asked.push(askAll([one]));
    await setImmediate();
  }
  fail(new Error('away'));
  release();
  const answers = await Promise.allSettled(asked);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['rejected']));
  assert.equal(questions.length, 2);
  fail(null);
  assert.deepEqual(await askAll([one]), [[one, true, 1]]);
});
