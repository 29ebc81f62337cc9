/** The main use, as described in README, with the packaged executable. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import type { Job } from '../../src/api/jobs/contract.ts';
import type { Run, RunList } from '../../src/api/runs/contract.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { jobd, notPackaged, serve } from '../support/running/executable.ts';
import { startSink } from '../support/fakes/sink.ts';
import { until } from '../support/until.ts';

test(
  'a daemon calls a server on a cron and on a period schedule, and keeps everything across a restart',
  {
    skip: notPackaged,
  },
  async (t) => {
    const directory = temporaryDirectory(t);
    const sink = await startSink(t, (response, { path }) => {
      if (path === '/cron') response.end('{"backup":"done"}');
      else response.writeHead(503).end('later');
    });
    const data = join(directory, 'data');
    const args = ['--data', data, '--allow-target', `127.0.0.1/32:${new URL(sink.url).port}`];
    const daemon = await serve(t, args, directory);

    const created = await jobd(['key', 'create', '--data', data, '--name', 'test']);
    assert.match(created.stdout, /^cp_[0-9a-f]{64}\n$/);
    const environment = (url: string) => ({ JOBD_URL: url, JOBD_API_KEY: created.stdout.trim() });
    const json = async <T>(url: string, ...command: string[]): Promise<T> => {
      const { exitCode, stdout, stderr } = await jobd([...command, '--json'], environment(url));
      assert.equal(exitCode, 0, stderr);
      return JSON.parse(stdout) as T;
    };
    const create = (name: string, ...when: string[]): Promise<{ job: Job }> =>
      json(daemon.url, 'jobs', 'create', '--name', name, '--url', `${sink.url}/${name}`, ...when);
    const runsOf = (url: string, name: string): Promise<RunList> => json(url, 'runs', 'list', name);

    await create('cron', '--cron', '* * * * *', '--tz', 'America/New_York');
    await create('period', '--every', '1m');

    makeDue(data);
    // Until then nothing is asked: the minute may be far away, and a key may ask 120 times in one.
    const isCalled = (name: string): boolean =>
      sink.received.some(({ path }) => path === `/${name}`);
    await until('both calls', () => isCalled('cron') && isCalled('period'));
    const endedRun = (name: string): Promise<Run> =>
      until(`a run of ${name}`, async () =>
        (await runsOf(daemon.url, name)).runs.find((run) => run.finishedAt !== null),
      );
    const [cron, period] = await Promise.all([endedRun('cron'), endedRun('period')]);
    assert.equal(cron.status, 'success');
    assert.equal(cron.source, 'scheduled');
    assert.equal(cron.httpStatus, 200);
    assert.equal(cron.responseBody, '{"backup":"done"}');
    assert.match(cron.scheduledFor, /:00\.000Z$/);
    assert.equal(period.status, 'failed');
    assert.equal(period.httpStatus, 503);
    assert.equal(period.error, 'http: 503');
    const requests = sink.received.filter(({ headers }) => headers['x-service-run-id'] === cron.id);
    assert.equal(requests.length, 1, 'the run was one request');

    const stopped = await daemon.stop();
    assert.equal(stopped, 0, daemon.log());
    const again = await serve(t, args, directory);
    const kept = await runsOf(again.url, 'cron');
    assert.deepEqual(
      kept.runs.find((run) => run.id === cron.id),
      cron,
    );
    const { job } = await json<{ job: Job }>(again.url, 'jobs', 'get', 'period');
    assert.equal(job.status, 'down');
    assert.equal(job.downReason, 'http: 503');
    assert.equal(await again.stop('SIGINT'), 0);
    assert.deepEqual(readdirSync(directory), ['data'], 'it writes only into its data directory');
  },
);

/** Makes all jobs due at the full minute before, as long as that is not missed; else it is a few seconds to the next one. */
function makeDue(data: string): void {
  const now = Date.now();
  const minute = Math.floor(now / 60_000) * 60_000;
  const at = now - minute < 40_000 ? minute : minute + 60_000;
  const database = new Database(join(data, 'jobd.db'), { timeout: 60_000 });
  database.prepare('update jobs set next_run_at = ?, anchor_at = ?').run(at, at - 60_000);
  database.close();
}
