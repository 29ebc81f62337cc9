/** `jobd trouble`, and what else tells an outage: status and explain. */

import assert from 'node:assert/strict';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TroubleRow } from '../../src/api/overview/contract.ts';
import { timesText } from '../../src/cli/terminal/times.ts';
import { overview, trouble as example } from '../../src/api/overview/examples.ts';
import { startSink } from '../support/fakes/sink.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { ping } from '../support/records/monitor.ts';
import { runCommand, serveCommand } from '../support/running/command.ts';
import { prepareStore } from '../support/running/prepare.ts';
import { until } from '../support/until.ts';

const minute = 60_000;

const at = (day: number, hour: number, min: number): string =>
  new Date(2026, 2, day, hour, min).toISOString();

test('after a crash one row tells from when to when jobd was not running, and what was missed', async (t) => {
  const dataDir = temporaryDirectory(t);
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  const url = 'http://127.0.0.1:1/';
  await prepareStore(dataDir, async ({ addJob }) => {
    // Due once an hour, and half an hour ago.
    for (const name of ['a', 'b', 'c']) {
      await addJob(
        { name, url, timezone: 'UTC', scheduleType: 'period', periodSeconds: 3_600 },
        now - 90 * minute,
      );
    }
  });
  const away = new Date(now - 50 * minute);
  writeFileSync(join(dataDir, 'serve.alive'), '');
  utimesSync(join(dataDir, 'serve.alive'), away, away);
  const { jobd } = await serveCommand(t, dataDir);
  const [outage] = await until('what was missed', async () => {
    const { trouble } = JSON.parse((await jobd('trouble', '--json')).stdout);
    return (trouble as TroubleRow[])[0]?.jobs === 3 && (trouble as TroubleRow[]);
  });
  assert.equal(outage?.from, away.toISOString());
  assert.ok(Date.parse(outage.until) >= now);
  const sentence = 'jobd was not running: 3 jobs missed 3 due times';
  const line = `${outage.from}\t${outage.until}\tjobd\t-\t${sentence}`;
  const told = await jobd('trouble');
  assert.equal(told.stdout, `${line}\n`);
  const how = /^to see what is left of the outage .*: jobd (runs replay .*)$/m.exec(told.stderr);
  const left = await jobd(...(how?.[1] ?? '').split(' '), '--json');
  assert.equal(JSON.parse(left.stdout).results.length, 3, told.stderr);
  const none = await jobd('trouble', '--since', '1s');
  assert.equal(none.stdout, '');
  assert.match(none.stderr, /^nothing went wrong since (?:\d{4}-\d\d-\d\d )?\d\d:\d\d$/m);
  const made = await jobd('monitors', 'create', '--name', 'm', '--every', '1h', '--json');
  await ping(`${JSON.parse(made.stdout).monitor.pingUrl}/fail`);
  await until('the monitor is counted', async () =>
    /^1 monitor down: jobd monitors list --status down$/m.test((await jobd('trouble')).stderr),
  );
  const status = await jobd('status');
  assert.ok(status.stdout.includes(`: ${sentence}\n`), status.stdout);
  assert.deepEqual(JSON.parse((await jobd('status', '--json')).stdout).lastOutage, outage);
  const explained = await jobd('explain', 'a');
  const [from, end] = [outage.from, outage.until].map((iso) => new RegExp(iso.slice(11, 16)));
  assert.match(explained.stdout, /because jobd was not running from /);
  for (const time of [from, end]) assert.match(explained.stdout.split('\n')[0] ?? '', time ?? /$^/);
});

test('what is wrong now is said before what went wrong', async (t) => {
  const answers: Record<string, [number, object]> = {
    '/readyz': [503, { error: 'not ready since 2026-11-20T02:31:07.412Z: the disk is full' }],
    '/api/v1/overview': [200, { overview }],
  };
  const none = { trouble: [], nextCursor: null, isPartial: false };
  const sink = await startSink(t, (response, { path }) => {
    const [status, body] = answers[path] ?? [200, none];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  const env = { JOBD_URL: sink.url, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const { stderr, exitCode } = await runCommand(['trouble'], env);
  assert.match(stderr, /^now: .*the disk is full/m);
  assert.equal(exitCode, 0, stderr);
});

test('an outage that broke off runs by hand alone has nothing to replay', async (t) => {
  const outage = { ...example, kind: 'outage', jobs: 0, missed: 0, interrupted: 1, now: null };
  const hinted = async (last: object) => {
    const answers: Record<string, object> = {
      '/api/v1/overview': { overview },
      '/api/v1/overview/trouble': { trouble: [{ ...outage, last }], nextCursor: null },
    };
    const sink = await startSink(t, (response, { path }) => {
      const answer = JSON.stringify(answers[path.split('?')[0] ?? ''] ?? {});
      response.setHeader('content-type', 'application/json').end(answer);
    });
    const env = { JOBD_URL: sink.url, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
    return /jobd runs replay/.test((await runCommand(['trouble'], env)).stderr);
  };
  const byHand = { ...example.last, source: 'manual', dueAt: undefined };
  assert.equal(await hinted(byHand), false);
  assert.equal(await hinted({ ...byHand, dueAt: byHand.scheduledFor }), true);
  assert.equal(await hinted({ ...byHand, source: 'scheduled' }), true);
});

test('a row has its times by the clock of the machine, with the days that are not today', () => {
  const now = Date.parse(at(2, 15, 0));
  const shown = (from: string, end: string) => timesText({ from, until: end }, now);
  assert.equal(shown(at(2, 12, 6), at(2, 12, 21)), '12:06–12:21');
  assert.equal(shown(at(2, 12, 6), at(2, 12, 6)), '12:06');
  assert.equal(shown(at(1, 23, 50), at(1, 23, 55)), '2026-03-01 23:50–23:55');
  assert.equal(shown(at(1, 23, 50), at(2, 0, 10)), '2026-03-01 23:50–2026-03-02 00:10');
});
