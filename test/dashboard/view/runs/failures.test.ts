/** Failures in plain sentences. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explain, failures } from '../../../../src/dashboard/view/runs/failures.ts';
import type { ExplainedRun } from '../../../../src/dashboard/view/runs/failures.ts';
import { errorText, errorWords } from '../../../../src/domain/runs/outcome.ts';
import { damage } from '../../../../src/domain/secrets/sealed-job.ts';

const failed = (error: string, fields: Partial<ExplainedRun> = {}) =>
  explain(
    {
      status: 'failed',
      httpStatus: Number(/^http: (\d+)$/.exec(error)?.[1] ?? NaN) || null,
      attempts: 1,
      startedAt: '2026-11-22T01:30:00.003Z',
      finishedAt: '2026-11-22T01:30:00.034Z',
      ...fields,
      error,
    },
    'Europe/Paris',
  );

test('every word that an error begins with is explained', () => {
  assert.deepEqual(Object.keys(failures), [...errorWords]);
  const page = readFileSync(new URL('../../../../docs/behavior.md', import.meta.url), 'utf8');
  const [, table = ''] = /id="result-4"(.*?)id="result-5"/s.exec(page) ?? [];
  const documented = table.matchAll(/^ *\| `(\w+)`/gm).map(([, word]) => word);
  assert.deepEqual([...documented], [...errorWords]);
});

test('each explanation is whole sentences, without the target in it', () => {
  const errors = [
    ...errorWords.map((word) => `${word}: <b>of the target</b>`),
    ...[300, 304, 400, 401, 403, 404, 405, 418, 429, 500, 502, 503, 504, 599, 999].map(
      (status) => `http: ${status}`,
    ),
  ];
  for (const error of errors) {
    const { summary, means, todo } = failed(error) ?? assert.fail(error);
    assert.match(summary, /^\w[^.]*$/, error);
    for (const text of [means, todo]) assert.match(text, /^\w.*\.$/, error);
    assert.doesNotMatch(summary + means + todo, /<b>|WHEN|undefined|[!]/, error);
  }
});

test('an answer is explained by its status, and says when to look', () => {
  assert.deepEqual(failed('http: 502'), {
    summary: 'the target answered HTTP 502',
    means: 'It, or a proxy before it, failed. It may have done its work.',
    todo: "Look at the target's log at 02:30:00.",
  });
  assert.match(failed('http: 401')?.todo ?? '', /Authorization/);
  assert.equal(failed('http: 410')?.means, 'It did not accept the request.');
  assert.equal(failed('http: 599')?.means, failed('http: 500')?.means);
});

test('several attempts are counted, and all of their time is to be looked at', () => {
  const { summary, todo } =
    failed('http: 500', { attempts: 3, finishedAt: '2026-11-22T01:30:07.000Z' }) ?? assert.fail();
  assert.equal(summary, 'the target answered HTTP 500, 3 attempts');
  assert.equal(todo, "Look at the target's log from 02:30:00 to 02:30:07.");
});

test('what was never sent is not said to have been sent', () => {
  for (const error of [
    errorText(damage),
    'interrupted: not sent: jobd has too many open files (EMFILE)',
    'refused: nobody listens at 127.0.0.1:80 (ECONNREFUSED)',
    'dns: there is no such name',
    'blocked_address: private use',
  ]) {
    assert.match(failed(error)?.means ?? '', /^Nothing was sent/, error);
  }
  const lost = failed('interrupted: jobd stopped before the answer came', {
    status: 'interrupted',
    attempts: 2,
    finishedAt: null,
  });
  assert.match(lost?.means ?? '', /may have been sent/);
  assert.doesNotMatch(lost?.summary ?? '', /attempts/);
});

test('nobody is told to allow the metadata service of a cloud', () => {
  const own = failed('blocked_address: 10.0.0.1 is not public: private use');
  assert.match(own?.todo ?? '', /--allow-target/);
  const metadata = failed('blocked_address: 192.0.0.192 is not public: cloud metadata');
  assert.match(metadata?.todo ?? '', /^It is refused on purpose: .*\.$/);
});

test('a missed run has no time at which it was called', () => {
  const { todo } =
    failed('missed: 1 due time, 2026-11-22T01:30:00.000Z: jobd was not running', {
      status: 'missed',
      attempts: 0,
      startedAt: null,
    }) ?? assert.fail();
  assert.equal(todo, 'The error says why. Run the job now if the call is still needed.');
});

test('a success and an unknown error have no explanation', () => {
  assert.equal(failed('', { status: 'success' }), null);
  assert.equal(failed('constructor: x'), null);
  assert.equal(failed('http'), null);
});
