/** 202 and report back: a target that answers at once, works on, and reports how that ended. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTrustedKeys } from '../../../src/receipt/trusted-keys.ts';
import { verifyReceipt } from '../../../src/receipt/verify.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

import { accepting, begin, ok, send, startWait, waitOf } from '../../support/running/waits.ts';

test('a target that answers 202 reports progress and then success', async (t) => {
  const story = await begin(t);
  const { clock, daemon } = story;
  const sink = await accepting(t, 'accepted');
  const { run, job, path, reportUrl, read, ended } = await startWait(story, sink);
  assert.match(reportUrl, new RegExp(`^${daemon.url}/report/[\\w-]{64}$`));
  assert.deepEqual(
    [run.status, run.httpStatus, run.responseBody, run.finishedAt, run.error],
    ['running', 202, 'accepted', null, null],
  );
  const { report } = run;
  assert.equal(report?.expiresAt, addMs(run.startedAt, 600_000, report?.expiresAt));
  assert.equal(report?.outcome, null);
  assert.equal((await daemon.ask('GET', `/jobs/${job.id}`)).body.job.status, 'running');

  clock.advance(60_000);
  const progress = { percent: 40, message: 'copying\nfiles' };
  assert.deepEqual((await send(`${reportUrl}/progress`, { body: progress })).body, ok);
  const shown = (await read()).report;
  assert.deepEqual([shown?.percent, shown?.line], [40, 'copying files']);
  assert.equal((await read()).status, 'running');

  clock.advance(60_000);
  const answer = await send(`${reportUrl}?message=1204%20files%E9`);
  assert.deepEqual([answer.status, answer.body], [200, ok]);
  const end = await ended();
  assert.deepEqual(
    [end.status, end.httpStatus, end.error, end.responseBody],
    ['success', 202, null, 'accepted'],
  );
  assert.ok((end.durationMs ?? 0) >= 120_000, 'the duration lasts until the report');
  assert.deepEqual(
    [end.report?.outcome, end.report?.reportedBy, end.report?.message],
    ['success', 'target', '1204 files\u{fffd}'],
  );
  assert.equal((await daemon.ask('GET', `/jobs/${job.id}`)).body.job.status, 'up');

  const receipt = await until('the receipt', async () => {
    const found = await daemon.ask('GET', `${path}/receipt`);
    return found.status === 200 && found.body;
  });
  const { payload } = receipt;
  assert.deepEqual(
    [payload.status, payload.httpStatus, payload.responseBytes],
    ['success', 202, 8],
  );
  assert.equal(payload.report.outcome, 'success');
  assert.equal(payload.report.reportedBy, 'target');
  assert.match(payload.report.messageSha256, /^[0-9a-f]{64}$/);
  const key = (await daemon.ask('GET', '/receipts/key', undefined, null)).body;
  const keys = readTrustedKeys([Buffer.from(JSON.stringify(key))]);
  const bytes = Buffer.from(JSON.stringify(receipt));
  assert.equal(verifyReceipt(bytes, keys).verdict, 'valid');
  const forged = bytes.toString().replace('"outcome":"success"', '"outcome":"failed"');
  assert.equal(verifyReceipt(Buffer.from(forged), keys).verdict, 'invalid');
});

test('a target reports a failure, by its URL or in the body', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const headers = { Authorization: 'Bearer s3cret-token' };
  const first = await startWait(story, sink, { headers });
  const message = 'disk full,\u001b[31m token s3cret-token\nrefused';
  await send(`${first.reportUrl}/fail`, { body: { message } });
  const end = await first.ended();
  assert.equal(end.status, 'failed');
  assert.equal(end.error, 'reported: disk full, token [redacted] refused');
  const second = await startWait(story, sink, { name: 'b' });
  await send(second.reportUrl, { body: { status: 'failed' } });
  assert.equal((await second.ended()).error, 'reported: a failure, without a message');
});

test('no report in time is a failure with an alert, and the next success a recovery', async (t) => {
  const story = await begin(t);
  const { daemon, clock } = story;
  const alerts = await startSink(t);
  const config = { url: alerts.url };
  const channel = { name: 'c', type: 'webhook', config };
  assert.equal((await daemon.ask('POST', '/channels', channel)).status, 201);
  const sink = await accepting(t);
  const { job, ended } = await startWait(story, sink, { reportWithinSeconds: 90 });
  clock.advanceBoth(91_000);
  const end = await ended();
  assert.equal(end.status, 'failed');
  assert.equal(end.error, 'timeout: no report within 90 s');
  assert.equal(end.report?.outcome, 'expired');
  assert.equal(end.finishedAt, end.report?.expiresAt);
  const alerted = async (type: string) =>
    await until(`an alert ${type}`, () =>
      alerts.received.some(({ body }) => JSON.parse(body).type === type),
    );
  await alerted('job.failed');
  clock.advance(60_000);
  const again = await waitOf(story, sink, job);
  await send(again.reportUrl);
  assert.equal((await again.ended()).status, 'success');
  await alerted('job.recovered');
});

test('the first report counts: every later one hears how the run ended', async (t) => {
  const story = await begin(t);
  const { reportUrl, ended } = await startWait(story, await accepting(t));
  const answers = await Promise.all(
    ['', '/fail', '', '/fail', ''].map((end) => send(reportUrl + end)),
  );
  const counted = answers.filter(({ status }) => status === 200);
  assert.equal(counted.length, 1);
  for (const { status } of answers) assert.ok(status === 200 || status === 409);
  const { status, finishedAt } = await ended();
  const words = new RegExp(`is over: it ended as ${status}.* at ${finishedAt}`);
  assertRefused(await send(`${reportUrl}/fail`), 409, words, 'a late failure');
  assertRefused(await send(`${reportUrl}/progress`), 409, words, 'late progress');
});

test('a URL that was changed, or made for another jobd, is one of no run', async (t) => {
  const story = await begin(t);
  const sink = await accepting(t);
  const { reportUrl, read } = await startWait(story, sink);
  const other = await startWait(story, sink, { name: 'b' });
  const [site, token = ''] = reportUrl.split('/report/');
  const otherToken = other.reportUrl.split('/').at(-1) ?? '';
  const swapped = token.slice(0, 22) + otherToken.slice(22);
  const last = token.at(-1) === 'A' ? 'B' : 'A';
  const wrong = ['x', '', token.slice(1), `${token}A`, token.slice(0, -1) + last, swapped];
  wrong.push(token.toLowerCase(), read.name, other.run.id);
  for (const one of wrong) {
    assert.equal((await send(`${site}/report/${one}`)).status, 404, one);
  }
  assert.equal((await send(`${reportUrl}/nonsense`)).status, 404);
  assert.equal((await fetch(reportUrl, { method: 'HEAD' })).status, 200);
  assert.equal((await read()).report?.outcome, null);
  await send(other.reportUrl, { method: 'GET' });
  assert.equal((await other.ended()).status, 'success');
  assert.equal((await read()).status, 'running', 'the URL of another run ends that run alone');
});

test('a method that reports nothing is answered as an unknown URL, which is not repeated', async (t) => {
  const story = await begin(t);
  const { reportUrl, read } = await startWait(story, await accepting(t));
  for (const [method, end] of [
    ['PUT', ''],
    ['DELETE', '/fail'],
    ['PATCH', '?message=x'],
    ['OPTIONS', ''],
    ['PROPFIND', ''],
    ['POST', '/fail/now'],
  ] as const) {
    const { status, body } = await send(reportUrl + end, { method });
    assert.deepEqual([status, body], [404, { error: 'there is no run at this URL' }], method);
  }
  const encoded = reportUrl.replace('/report/', '/%72eport/');
  const { body } = await send(encoded, { method: 'PUT' });
  assert.deepEqual(body, { error: 'there is no run at this URL' });
  assert.equal((await read()).report?.outcome, null);
});

test('a report that makes no sense is refused, and changes nothing', async (t) => {
  const story = await begin(t);
  const { reportUrl, read } = await startWait(story, await accepting(t));
  const rows: [end: string, body: object, RegExp][] = [
    ['/fail', { status: 'success' }, /status must be failed at this URL, got success/],
    ['', { status: 'done' }, /status must be one of success, failed, progress, got "done"/],
    ['', { percent: 4 }, /percent must be given with progress only/],
    ['/progress', { percent: 101 }, /percent must be between 0 and 100, got 101/],
    ['', { message: 'x'.repeat(1_001) }, /message must be at most 1000 characters, got 1001/],
    ['', { state: 'ok' }, /state/],
    ['?msg=x', {}, /msg/],
    ['', [], /the body must be an object/],
  ];
  for (const [end, body, words] of rows) {
    assertRefused(await send(reportUrl + end, { body }), 400, words, end);
  }
  const large = await send(reportUrl, { body: { message: 'x'.repeat(16 * 1024) } });
  assertRefused(large, 413, /at most 16 KiB/, 'a large body');
  const plain = await fetch(reportUrl, { method: 'POST', body: 'status=failed' });
  assert.equal(plain.status, 400);
  assert.equal((await read()).report?.outcome, null);
});

/** The time that many milliseconds after another, give or take what the call took. */
function addMs(at: string | null | undefined, ms: number, near: string | undefined): string {
  const exact = Date.parse(at ?? '') + ms;
  const found = Date.parse(near ?? '');
  return new Date(found >= exact && found < exact + 20_000 ? found : exact).toISOString();
}
