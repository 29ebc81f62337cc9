/** `jobd report`, and what recounts it (docs/behavior.md#month-3). */

import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { assertRefused } from '../../support/checks/answer.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

test('a report counts the calls of a month by label, and its receipts recount them', async (t) => {
  const daemon = await startTestDaemon(t);
  const { ask } = daemon;
  const sink = await startSink(t);
  const ended: string[] = [];
  for (const [name, url, labels] of [
    ['=backup', sink.url, { client: 'acme' }],
    ['refused', 'http://127.0.0.1:1/', { client: 'acme' }],
    ['other', sink.url, { client: 'other' }],
  ] as const) {
    const made = await ask('POST', '/jobs', { name, url, labels, cronExpr: '0 0 1 1 *' });
    const { id } = made.body.job;
    await ask('POST', `/jobs/${id}/run`);
    await until('a run', async () => {
      const [run] = (await ask('GET', `/jobs/${id}/runs`)).body.runs;
      const isOver = typeof run?.finishedAt === 'string';
      if (isOver) ended.push(run.scheduledFor);
      return isOver;
    });
    if (url === sink.url) {
      const [run] = (await ask('GET', `/jobs/${id}/runs`)).body.runs;
      assert.equal((await ask('GET', `/jobs/${id}/runs/${run.id}/receipt`)).status, 200);
    }
  }
  const monitor = (await ask('POST', '/monitors', { name: 'm', labels: { client: 'acme' } })).body
    .monitor;
  await fetch(monitor.pingUrl);
  await fetch(`${monitor.pingUrl}/fail`);
  const month = (ended[0] ?? '').slice(0, 7);
  const directory = temporaryDirectory(t);
  const receipts = join(directory, 'receipts');
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const report = (...args: string[]) =>
    runCommand(['report', '--month', month, '--tz', 'UTC', '-l', 'client=acme', ...args], env);

  const made = await report('--receipts', receipts);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^# Report \d{4}-\d\d, client=acme\n/);
  assert.match(made.stdout, /^\| =backup \| 0 \| 1 \| 0 \| 0 \| 0 \| 0 \| 1 \| 100\.00 % \| 1 \|/m);
  assert.match(made.stdout, /^\| refused \| 0 \| 0 \| 1 \| 0 \| 0 \| 0 \| 1 \| 0\.00 % \| 0 \|/m);
  assert.match(made.stdout, /^\| All \| 0 \| 1 \| 1 \|/m);
  assert.match(made.stdout, /^\| m \| 1 \| 1 \| – \|$/m);
  assert.doesNotMatch(made.stdout, /other \|/);
  const what = '1 receipt (1 success, 0 failed) of one job';
  assert.ok(made.stdout.replaceAll('\\', '').includes(what));
  assert.match(made.stderr, /receipts: 1 receipt$/m);
  assert.equal(readdirSync(receipts).length, 1);
  assert.ok(made.stdout.includes(`\n    jobd verify '${receipts}' keys.json\n`), made.stdout);
  assert.ok(
    made.stdout.includes(`\n    curl -fsS '${daemon.url}/api/v1/receipts/keys' -o keys.json\n`),
  );

  const keyFile = join(directory, 'keys.json');
  writeFileSync(keyFile, JSON.stringify((await ask('GET', '/receipts/keys')).body));
  const verified = await runCommand(['verify', receipts, keyFile]);
  assert.equal(verified.exitCode, 0, verified.stdout);

  const again = await report('--receipts', receipts);
  assert.equal(again.exitCode, 5, again.stderr);
  assert.match(again.stderr, /receipts already exists/);
  const nowhere = await report('--receipts', join(directory, 'no', 'receipts'));
  assert.match(nowhere.stderr, /there is no directory (.*\/no): mkdir -p -m 700 \1$/m);
  const json = JSON.parse((await report('--json')).stdout);
  assert.deepEqual([json.month, json.jobs.length, json.monitors.length], [month, 2, 1]);
  const csv = (await report('--format', 'csv')).stdout;
  assert.match(csv, /^'=backup,0,1,/m);
  assert.doesNotMatch(made.stderr, /fits no/);
  const none = ['report', '--month', month, '--tz', 'UTC', '-l', 'client=b'];
  const empty = await runCommand(none, env);
  assert.deepEqual([empty.exitCode, empty.stderr], [0, 'client=b fits no job or monitor now\n']);
  const wrong = await report('--format', 'pdf');
  assert.equal(wrong.exitCode, 2);
  assert.match(wrong.stderr, /--format must be .*md/);
  const future = await runCommand(['report', '--month', '2999-01', '--tz', 'UTC'], env);
  assert.equal(future.exitCode, 2);
  assert.match(future.stderr, /month must have begun/);
});

test('the API refuses a month or a zone that is none', async (t) => {
  const { ask } = await startTestDaemon(t);
  for (const path of ['/report/jobs', '/report/monitors']) {
    assertRefused(
      await ask('GET', `${path}?month=11-2026`),
      400,
      /^month must be one such as 2026-11/,
    );
    assertRefused(
      await ask('GET', `${path}?timezone=Berlin`),
      400,
      /^timezone must be an IANA name/,
    );
    assertRefused(await ask('GET', `${path}?selector=,`), 400, /^selector must be terms/);
  }
});
