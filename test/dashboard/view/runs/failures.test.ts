/** Failures in plain sentences. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { explain, failures } from '../../../../src/dashboard/view/runs/failures.ts';
import type { ExplainedRun } from '../../../../src/dashboard/view/runs/failures.ts';
import { errorWords, runReasons } from '../../../../src/domain/runs/reason.ts';
import type { RunReason } from '../../../../src/domain/runs/reason.ts';

const failed = (reason: RunReason, fields: Partial<ExplainedRun> = {}) =>
  explain(
    {
      status: 'failed',
      httpStatus: null,
      attempts: 1,
      startedAt: '2026-11-22T01:30:00.003Z',
      finishedAt: '2026-11-22T01:30:00.034Z',
      why: { reason, detail: '<b>of the target</b>' },
      ...fields,
    },
    'Europe/Paris',
  );
const answered = (httpStatus: number, fields: Partial<ExplainedRun> = {}) =>
  failed('http', { httpStatus, ...fields }) ?? assert.fail();

test('every word that an error begins with is explained', () => {
  assert.deepEqual(Object.keys(failures), [...errorWords]);
  const page = readFileSync(new URL('../../../../docs/behavior.md', import.meta.url), 'utf8');
  const [, table = ''] = /id="result-4"(.*?)id="result-5"/s.exec(page) ?? [];
  const documented = table.matchAll(/^ *\| `(\w+)`/gm).map(([, word]) => word);
  assert.deepEqual([...documented], [...errorWords]);
});

test('each explanation is whole sentences, without the target in it', () => {
  const statuses = [300, 304, 400, 401, 403, 404, 405, 418, 429, 500, 502, 503, 504, 599, 999];
  const all = [
    ...runReasons.map((reason) => failed(reason)),
    ...statuses.map((one) => answered(one)),
  ];
  for (const { summary, means, todo } of all.map((one) => one ?? assert.fail())) {
    assert.match(summary, /^\w[^.]*$/);
    for (const text of [means, todo]) assert.match(text, /^\w.*\.$/, summary);
    assert.doesNotMatch(summary + means + todo, /<b>|WHEN|undefined|[!]/, summary);
  }
});

test('an answer is explained by its status, and says when to look', () => {
  assert.deepEqual(answered(502), {
    summary: 'the target answered HTTP 502',
    means: 'It, or a proxy before it, failed. It may have done its work.',
    todo: "Look at the target's log at 02:30:00.",
  });
  assert.match(answered(401).todo, /Authorization/);
  assert.equal(answered(410).means, 'It did not accept the request.');
  assert.equal(answered(599).means, answered(500).means);
});

test('several attempts are counted, and all of their time is to be looked at', () => {
  const { summary, todo } = answered(500, { attempts: 3, finishedAt: '2026-11-22T01:30:07.000Z' });
  assert.equal(summary, 'the target answered HTTP 500, 3 attempts');
  assert.equal(todo, "Look at the target's log from 02:30:00 to 02:30:07.");
});

test('what was never sent is not said to have been sent', () => {
  for (const reason of [
    'unopened',
    'unsigned',
    'unsent',
    'refused',
    'dns',
    'blocked_address',
  ] as const) {
    assert.match(failed(reason)?.means ?? '', /^Nothing was sent/, reason);
  }
  const lost = failed('cut_off', {
    status: 'interrupted',
    attempts: 2,
    finishedAt: null,
  });
  assert.match(lost?.means ?? '', /may have been sent/);
  assert.doesNotMatch(lost?.summary ?? '', /attempts/);
});

test('nobody is told to allow the metadata service of a cloud', () => {
  const own = failed('blocked_address');
  assert.match(own?.todo ?? '', /--allow-target/);
  const metadata = failed('blocked_metadata');
  assert.match(metadata?.todo ?? '', /^It is refused on purpose: .*\.$/);
});

test('a missed run has no time at which it was called', () => {
  const { todo } =
    failed('not_running', {
      status: 'missed',
      attempts: 0,
      startedAt: null,
    }) ?? assert.fail();
  assert.equal(todo, 'The error says why. Run the job now if the call is still needed.');
});
