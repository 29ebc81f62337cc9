import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job, JobUpdate } from '../../../src/api/jobs/contract.ts';
import { job as jobExample } from '../../../src/api/jobs/examples.ts';
import {
  formOf,
  headerNamed,
  inputOf,
  keepLineEnds,
  ofOnce,
  readingOf,
  emptyIn,
  headerProblem,
  urlProblem,
  withDraft,
} from '../../../src/dashboard/view/job-form.ts';
import type { JobForm } from '../../../src/dashboard/view/job-form.ts';
import { differences, differing } from '../../../src/dashboard/view/forms.ts';
import { readPasted } from '../../../src/wings/readers/pasted.ts';
import { changeJob, defineJob } from '../../../src/domain/jobs/job-input.ts';
import { jobDefaults } from '../../../src/domain/jobs/job.ts';
import { messageOf } from '../../../src/domain/errors.ts';

const context = { now: Date.UTC(2026, 10, 22), allowTargets: [] };
const empty = formOf(null, 'America/New_York');
/** What an update sends. */
const changesOf = (form: JobForm, base: JobForm): JobUpdate =>
  differing(inputOf(form), inputOf(base));
const whole = {
  ...empty,
  name: 'Hook',
  url: 'https://example.com/hook',
  schedule: { ...empty.schedule, cronExpr: ' 30 2 * * * ' },
};
const job = { ...(jobExample as Job), headerNames: ['Authorization', 'X-A'] };

test('a new job is sent whole, with the defaults of the API where nothing was typed', () => {
  const input = inputOf(whole);
  assert.deepEqual(input, {
    name: 'Hook',
    url: 'https://example.com/hook',
    method: jobDefaults.method,
    headers: {},
    body: null,
    scheduleType: 'cron',
    cronExpr: '30 2 * * *',
    timezone: 'America/New_York',
    timeoutSeconds: jobDefaults.timeoutSeconds,
    retries: jobDefaults.retries,
    reportWithinSeconds: null,
    makeUpSeconds: null,
    spreadSeconds: null,
    notBefore: null,
    notAfter: null,
    runAt: null,
    deleteAfterSeconds: null,
    after: null,
    onResult: null,
    labels: null,
    notes: '',
    sign: null,
    audience: null,
  });
  const made = defineJob(input, { ...context, id: 'i', workspaceId: 'w' });
  assert.equal(made.cronExpr, '30 2 * * *');
});

test('an audience is sent with a token, and asked for only then', () => {
  const token = { ...whole, sign: 'oidc', audience: ' https://a.example ' } as const;
  assert.equal(inputOf(token).audience, 'https://a.example');
  assert.equal(inputOf({ ...token, sign: 'httpsig' }).audience, null);
  assert.deepEqual(emptyIn({ ...token, audience: '' }), ['audience']);
  assert.deepEqual(emptyIn({ ...token, sign: '', audience: '' }), []);
  const base = formOf({ ...job, sign: 'oidc', audience: 'a' }, '');
  assert.deepEqual(changesOf({ ...base, sign: '' }, base), { sign: null, audience: null });
});

test('a signing secret is sent if one was typed, beside the URL that it is for', () => {
  const base = formOf({ ...job, onResult: 'https://example.com/done' }, '');
  assert.deepEqual(changesOf(base, base), {});
  const secret = { ...base, onResultSecret: 'whsec_typed' };
  assert.deepEqual(changesOf(secret, base), { onResultSecret: 'whsec_typed' });
  assert.deepEqual(changesOf({ ...secret, onResult: '' }, base), { onResult: null });
});

test('numbers that are none are left to the API to refuse', () => {
  for (const text of ['', 'ten', '1e1', '1.5']) {
    assert.equal(inputOf({ ...whole, timeoutSeconds: text }).timeoutSeconds, text);
  }
  assert.equal(inputOf({ ...whole, retries: ' 2 ' }).retries, 2);
});

test('a job that was not touched changes nothing, and a change is sent alone', () => {
  const base = formOf(job, '');
  assert.deepEqual(changesOf(base, base), {});
  assert.deepEqual(changesOf({ ...base, name: 'Other', notes: 'n' }, base), {
    name: 'Other',
    notes: 'n',
  });
  assert.deepEqual(changesOf({ ...base, body: '' }, { ...base, body: 'a' }), { body: null });
});

test('headers are sent only when they are replaced; without a row all are removed', () => {
  const base = formOf(job, '');
  assert.equal(base.headers, null);
  assert.deepEqual(changesOf({ ...base, headers: [] }, base), { headers: {} });
  const rows = [
    { name: 'X-A', value: '1' },
    { name: '', value: '' },
    { name: '__proto__', value: '2' },
  ];
  const { headers } = changesOf({ ...base, headers: rows }, base);
  assert.equal(JSON.stringify(headers), '{"X-A":"1","__proto__":"2"}');
  assert.deepEqual(formOf({ ...job, headerNames: [] }, '').headers, []);
});

test('a schedule of another kind is sent without the fields of the first, and the API takes it', () => {
  const stored = defineJob(inputOf(whole), { ...context, id: 'i', workspaceId: 'w' });
  const base = formOf({ ...job, ...stored } as unknown as Job, '');
  const period = {
    ...base.schedule,
    scheduleType: 'period' as const,
    periodSeconds: { count: '1.5', unit: 'hours' as const },
  };
  const changes = changesOf({ ...base, schedule: period }, base);
  assert.deepEqual(changes, { scheduleType: 'period', periodSeconds: 5400 });
  const changed = changeJob(stored, changes, context);
  assert.equal(changed.periodSeconds, 5400);
  const again = formOf({ ...job, ...changed } as unknown as Job, '');
  assert.deepEqual(again.schedule.periodSeconds, { count: '90', unit: 'minutes' });
  const back = { ...again.schedule, scheduleType: 'cron' as const, cronExpr: '@daily' };
  const returned = changesOf({ ...again, schedule: back }, again);
  assert.deepEqual(returned, { scheduleType: 'cron', cronExpr: '@daily' });
  assert.equal(changeJob(changed, returned, context).cronExpr, '@daily');
});

test('a job that is due once is made without a cron expression, in the zone of the form', () => {
  const once = { ...empty.schedule, isOnce: true, runAt: '2026-12-01T09:00' };
  const form = { ...whole, schedule: once, ...ofOnce.true };
  assert.deepEqual(emptyIn(form), []);
  const made = defineJob(inputOf(form), { ...context, id: 'i', workspaceId: 'w' });
  assert.equal(made.runAt, '2026-12-01T14:00:00.000Z');
  assert.deepEqual([made.deleteAfterSeconds, made.makeUpSeconds], [604_800, 3_600]);
  const again = formOf({ ...job, ...made } as unknown as Job, '');
  assert.deepEqual(again.schedule.runAt, once.runAt);
  const back = { ...again, ...ofOnce.false, schedule: { ...again.schedule, isOnce: false } };
  const changes = changesOf({ ...back, notBefore: '2026-12-24T00:00' }, again);
  assert.deepEqual([changes.runAt, changes.deleteAfterSeconds], [null, null]);
  assert.equal(changeJob(made, changes, context).notBefore, '2026-12-24T05:00:00.000Z');
});

test('what is pasted fills in its fields and leaves the others', () => {
  const typed = { ...whole, name: 'Mine', notes: 'kept', retries: '2' };
  const { draft } = readPasted(`*/5 * * * * curl -m 9 https://example.com/ping -H 'X-A: b'`);
  assert.ok(draft);
  const filled = withDraft(typed, draft);
  assert.deepEqual(filled.headers, [{ name: 'X-A', value: 'b' }]);
  assert.deepEqual(
    [filled.schedule.cronExpr, filled.schedule.timezone, filled.timeoutSeconds, filled.retries],
    ['*/5 * * * *', 'America/New_York', '9', '2'],
  );
  assert.equal(filled.notes, 'kept');
  const cron = readPasted('@daily').draft;
  assert.ok(cron);
  assert.deepEqual({ ...withDraft(typed, cron), schedule: null }, { ...typed, schedule: null });
  assert.deepEqual(emptyIn(withDraft(empty, cron)), ['name', 'url']);
});

test('what must be filled in and is not comes in the order of the form', () => {
  assert.deepEqual(emptyIn(empty), ['name', 'url', 'cronExpr']);
  const schedule = { ...empty.schedule, scheduleType: 'period' as const };
  assert.deepEqual(emptyIn({ ...whole, schedule }), ['periodSeconds']);
  assert.deepEqual(emptyIn(whole), []);
  const numbers = { ...whole, timeoutSeconds: ' ', retries: '' };
  assert.deepEqual(emptyIn(numbers), ['timeoutSeconds', 'retries']);
  const zoneless = { ...whole, schedule: { ...whole.schedule, timezone: '' } };
  assert.deepEqual(emptyIn(zoneless), ['timezone']);
});

const changes = (other: Partial<Job>): string[] =>
  differences(readingOf(job), readingOf({ ...job, ...other }));

test('what somebody else changed is found, and runs change nothing', () => {
  assert.deepEqual(changes({ status: 'running', lastRunAt: null }), []);
  assert.deepEqual(changes({ url: 'https://example.org/', headerNames: [] }), [
    'url',
    'headerNames',
  ]);
});

test('a line of a header typed as a name becomes a name and a value', () => {
  const blank = { name: '', value: '' };
  assert.deepEqual(headerNamed('X-Tenant: 7 ', blank), { name: 'X-Tenant', value: '7' });
  assert.deepEqual(headerNamed('X-Ten', blank), { name: 'X-Ten', value: '' });
  assert.deepEqual(headerNamed('A:b', { name: 'A', value: 'c' }), { name: 'A:b', value: 'c' });
});

test('a header that is there twice is refused before one of them is lost', () => {
  const rows = ['X-A', 'x-a', 'X-A'].map((name) => ({ name, value: '1' }));
  assert.equal(headerProblem(rows.slice(0, 1)), null);
  assert.equal(headerProblem(null), null);
  const again = [{ name: 'X-A', value: ' ' }];
  assert.match(headerProblem(again, ['X-A']) ?? '', /^headers: the value of X-A is not kept/);
  assert.equal(headerProblem(again, ['X-B']), null);
  // The API says it in the same words.
  const headers = { 'X-A': '1', 'x-a': '1' };
  const refused = (): unknown =>
    defineJob({ ...inputOf(whole), headers }, { ...context, id: 'i', workspaceId: 'w' });
  assert.throws(refused, (error) => messageOf(error) === headerProblem(rows.slice(0, 2)));
});

test('a body keeps its line ends, which a textarea changes', () => {
  assert.equal(keepLineEnds('a\nb\nc', 'a\r\nb'), 'a\r\nb\r\nc');
  assert.equal(keepLineEnds('a\nb', 'a\nb'), 'a\nb');
  assert.equal(keepLineEnds('a\nb', 'a\r\nb\nc'), 'a\nb');
});

test('the look of a URL is judged, not its address', () => {
  for (const url of [
    '',
    'ht',
    'https:/',
    'http://',
    'https://example.com',
    'http://10.0.0.1:99/@',
  ]) {
    assert.equal(urlProblem(url), null, url);
  }
  for (const url of [
    'example.com',
    'ftp://a',
    'https://a b',
    'https://me:pw@example.com/',
    'https://[',
  ]) {
    assert.equal(typeof urlProblem(url), 'string', url);
  }
});
