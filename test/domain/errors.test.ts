/** The closed table of errors, with HTTP status and exit code. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  errorCodes,
  ifPossible,
  invalidInput,
  JobdError,
  limitWords,
  listenError,
  messageOf,
  overLimit,
  unlessRefused,
  type ErrorCode,
} from '../../src/domain/errors.ts';

const faces: Record<ErrorCode, [httpStatus: number, exitCode: number]> = {
  invalid_input: [400, 2],
  unauthenticated: [401, 4],
  payment_required: [402, 6],
  forbidden: [403, 4],
  not_found: [404, 3],
  conflict: [409, 5],
  too_large: [413, 6],
  rate_limited: [429, 6],
  internal: [500, 1],
  unavailable: [503, 1],
  usage: [400, 2],
  unreachable: [503, 7],
};

test('every code has its documented HTTP status and exit code', () => {
  assert.deepEqual(Object.keys(errorCodes).toSorted(), Object.keys(faces).toSorted());
  for (const [code, [httpStatus, exitCode]] of Object.entries(faces)) {
    const error = new JobdError(code as ErrorCode, 'why');
    assert.deepEqual([error.httpStatus, error.exitCode], [httpStatus, exitCode], code);
  }
});

test('every code has its own description', () => {
  const words = Object.values(errorCodes).map(({ means }) => means);
  assert.equal(new Set(words).size, words.length);
  for (const means of words) assert.match(means, /^[a-z][^\n]{10,}[^.]$/);
});

test('an error carries its message, its cause and when to retry', () => {
  const cause = new Error('below');
  const error = new JobdError('rate_limited', 'wait', { cause, retryAfterSeconds: 60 });
  assert.ok(error instanceof Error);
  assert.equal(String(error), 'JobdError: wait');
  assert.equal(error.cause, cause);
  assert.equal(error.retryAfterSeconds, 60);
  assert.equal('cause' in new JobdError('internal', 'x'), false, 'no cause is no property');
  assert.equal(new JobdError('internal', 'x').retryAfterSeconds, undefined);
});

test('invalid input is 400', () => {
  const error = invalidInput('name must not be blank');
  assert.deepEqual([error.code, error.message], ['invalid_input', 'name must not be blank']);
});

test('a name to listen on that nobody knows is said in a sentence, as other failures to listen are', () => {
  const options = { host: '--host', port: '--port' };
  const place = { host: 'nowhere', port: 1 };
  const failure = (code: string) =>
    messageOf(listenError(Object.assign(new Error(`raw ${code}`), { code }), place, options));
  assert.match(failure('ENOTFOUND'), /^nobody knows the name nowhere: choose another with --host/);
  assert.match(failure('EAI_AGAIN'), /^the name nowhere cannot be looked up now/);
  assert.equal(failure('EMFILE'), 'raw EMFILE');
});

test('each refusal for a limit ends with the wait', () => {
  const rows: [waitMs: number, wait: string][] = [
    [0, '1 s'],
    [8_001, '9 s'],
    [120_000, '120 s'],
    [121_000, '3 min'],
    [3_600_000, '60 min'],
  ];
  for (const [waitMs, wait] of rows) {
    assert.equal(limitWords('once a minute', waitMs), `once a minute: again in ${wait}`);
    const error = overLimit('once a minute', 60_000, waitMs);
    assert.deepEqual([error.code, error.retryAfterSeconds], ['rate_limited', 60]);
    assert.equal(error.message, `once a minute: again in ${wait}`);
  }
});

function refused(): never {
  throw invalidInput('no');
}

function broken(): never {
  throw new TypeError('a bug');
}

test('what is impossible or refused is undefined, and a bug is not taken for a refusal', () => {
  assert.equal(ifPossible(() => 1) ?? ifPossible(refused), 1);
  assert.equal(ifPossible(refused) ?? ifPossible(broken), undefined);
  assert.equal(unlessRefused(() => 1) ?? unlessRefused(refused), 1);
  assert.equal(unlessRefused(refused), undefined);
  assert.throws(() => unlessRefused(broken), /a bug/);
});
