/** `jobd runs tail` and `--wait`: every run once, through outages, with few requests. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { each } from '../../support/each.ts';
import {
  array,
  asyncProperty,
  assert as check,
  integer,
  record,
} from '../../support/fast-check.ts';
import type { ListedRun, Run } from '../../../src/api/runs/contract.ts';
import { createPace, passingDelayMs } from '../../../src/cli/client/retry.ts';
import { followRuns } from '../../../src/cli/runs/tail.ts';
import { waitForRun } from '../../../src/cli/runs/run-now.ts';
import { JobdError } from '../../../src/domain/errors.ts';
import { serveCommand, startCommand } from '../../support/running/command.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { startProxy } from '../../support/running/proxy.ts';
import { until } from '../../support/until.ts';

const begin = Date.UTC(2026, 0, 1);
const iso = (at: number): string => new Date(at).toISOString();

/** When the runs of a few jobs begin and end, in seconds from the start. */
const plan = array(
  record({
    job: integer({ min: 0, max: 2 }),
    dueAt: integer({ min: -30, max: 300 }),
    length: integer({ min: 0, max: 200 }),
  }),
  { maxLength: 30 },
);

test('each ended run is reported once, whatever happens between two polls', async () => {
  const failures = array(integer({ min: 0, max: 3 }), { minLength: 10, maxLength: 10 });
  const tells = asyncProperty(plan, failures, async (planned, failing) => {
    const all = planned.map(({ job, dueAt, length }, index) => ({
      jobId: `j${job}`,
      id: `r${index}`,
      dueAt: begin + dueAt * 1_000,
      endAt: begin + (dueAt + length) * 1_000,
    }));
    let now = begin;
    let budget = Infinity;
    const spend = (): void => {
      budget -= 1;
      if (budget < 0) throw new JobdError('unreachable', 'gone');
    };
    const shown = ({ id, jobId, dueAt, endAt }: (typeof all)[number]): ListedRun => {
      const isOver = endAt <= now;
      return {
        id,
        job: { id: jobId, name: jobId },
        scheduledFor: iso(dueAt),
        finishedAt: isOver ? iso(endAt) : null,
        status: isOver ? 'success' : 'running',
      } as ListedRun;
    };
    const known = () => all.filter(({ dueAt }) => dueAt <= now);
    const follower = followRuns(
      {
        async *list(filter) {
          spend();
          const runs = known().toSorted((a, b) => b.dueAt - a.dueAt);
          for (const [index, run] of runs.map(shown).entries()) {
            if (index % 3 === 2) spend();
            if ('since' in filter ? run.scheduledFor >= filter.since : run.status === 'running')
              yield run;
          }
        },
        async get(_, id) {
          spend();
          const run = known().find((one) => one.id === id);
          if (run === undefined || run.jobId === 'j2') throw new JobdError('not_found', 'deleted');
          return shown(run);
        },
      },
      begin,
      () => now,
    );
    const reported: ListedRun[] = [];
    // Events say what changed since those before them, and everything is asked about after they were interrupted.
    let toldAt = begin;
    for (const [round, allowed] of [...failing, 9, 9, 9].entries()) {
      now += 60_000;
      budget = allowed === 0 ? Infinity : allowed * 4;
      const changed = known().filter(({ dueAt, endAt }) => endAt > toldAt && dueAt <= now);
      const changes = changed.map(({ id, jobId, endAt }) => {
        const status = endAt <= now ? ('success' as const) : ('running' as const);
        return [id, { jobId, status }] as const;
      });
      try {
        const news = await follower.poll(round % 3 === 0 ? undefined : new Map(changes));
        toldAt = now;
        const ends = news.map(({ finishedAt }) => finishedAt ?? '');
        assert.deepEqual(ends, ends.toSorted(), 'in order');
        reported.push(...news);
      } catch (error) {
        assert.ok(error instanceof JobdError);
      }
    }
    budget = Infinity;
    now += 60_000;
    reported.push(...(await follower.poll()));
    const expected = all.filter(({ endAt }) => endAt >= begin);
    const ids = reported.map(({ id }) => id).toSorted();
    assert.equal(new Set(ids).size, ids.length, 'once');
    // Of a job that was deleted, runs may be gone before they are asked about.
    const kept = expected.filter(({ jobId }) => jobId !== 'j2').map(({ id }) => id);
    assert.deepEqual(
      kept.filter((id) => !ids.includes(id)),
      [],
    );
    assert.ok(ids.every((id) => expected.some((run) => run.id === id)));
  });
  await check(tells, { numRuns: 300 });
});

test('the runs of many jobs cost a request for each hundred, and those that events name one together', async () => {
  const asked: string[] = [];
  const run = (id: string) =>
    ({
      id,
      job: { id: 'j', name: 'j' },
      status: 'success',
      scheduledFor: iso(begin),
      finishedAt: iso(begin),
    }) as ListedRun;
  const many = Array.from({ length: 300 }, (_, index) => run(`r${index}`));
  const follower = followRuns(
    {
      async *list(filter) {
        asked.push(Object.keys(filter).join());
        if ('since' in filter) yield* many;
      },
      get: async () => assert.fail('it is in the list'),
    },
    begin,
    () => begin,
  );
  assert.equal((await follower.poll()).length, 300);
  assert.deepEqual(asked, ['status', 'since']);
  many.unshift(run('a'), run('b'));
  const changes = new Map(['a', 'b'].map((id) => [id, { jobId: 'j', status: 'success' as const }]));
  assert.deepEqual(each(await follower.poll(changes), 'id'), ['a', 'b']);
  assert.deepEqual(asked, ['status', 'since', 'since']);
  const begun = new Map([['c', { jobId: 'j', status: 'running' as const }]]);
  assert.deepEqual(await follower.poll(begun), []);
  assert.equal(asked.length, 3, 'what only begins costs nothing');
});

test('the first requests go out at once, then one a second, and at once again after a pause', async () => {
  let now = 0;
  const waits: number[] = [];
  const pace = createPace(
    () => now,
    async (ms) => {
      waits.push(Math.round(ms));
      now += ms;
    },
  );
  for (let count = 0; count < 22; count += 1) await pace();
  assert.deepEqual(waits, [1_000, 1_000]);
  now += 60_000;
  for (let count = 0; count < 20; count += 1) await pace();
  assert.equal(waits.length, 2);
});

test('waiting for a run survives an unreachable server and rate limiting', async () => {
  const run = { id: 'r', jobId: 'j', status: 'queued' } as Run;
  const answers: (JobdError | Run)[] = [
    new JobdError('rate_limited', 'slowly', { retryAfterSeconds: 0 }),
    { ...run, status: 'running' },
    { ...run, status: 'success' },
  ];
  const getRun = async (): Promise<Run> => {
    const answer = answers.shift();
    if (answer === undefined || answer instanceof JobdError) throw answer;
    return answer;
  };
  const waited = await waitForRun(getRun, run, 60_000);
  assert.deepEqual([waited.run.status, waited.exitCode], ['success', 0]);
  const unreachable = new JobdError('unreachable', 'away');
  const failing = (): Promise<Run> => Promise.reject(unreachable);
  assert.deepEqual(await waitForRun(failing, run, 600), { run, exitCode: 124 });
  answers.push(new JobdError('not_found', 'deleted'));
  await assert.rejects(waitForRun(getRun, run, 60_000), /deleted/);
});

test('a server that asks to wait a day is asked again after two minutes', () => {
  const limited = new JobdError('rate_limited', 'slowly', { retryAfterSeconds: 99_999 });
  assert.equal(passingDelayMs(limited), 120_000);
  assert.equal(passingDelayMs(new JobdError('rate_limited', 'slowly')), 5_000);
});

test('tail prints a line for each run, and Ctrl-C ends both tail and --wait', async (t) => {
  const daemon = await serveCommand(t);
  const sink = await startSink(t, (response, { path }) => {
    if (path !== '/slow') response.writeHead(path === '/fails' ? 500 : 200).end('a\nb');
  });
  const make = async (name: string): Promise<void> => {
    const made = await daemon.jobd(
      'jobs',
      'create',
      '--name',
      name,
      '--url',
      `${sink.url}/${name}`,
      '--every',
      '1h',
    );
    assert.equal(made.exitCode, 0, made.stderr);
  };
  for (const name of ['good', 'fails', 'slow']) await make(name);
  const tail = startCommand(t, ['runs', 'tail', '--since', '1h', '--status', 'failed'], daemon.env);
  const lines = createInterface({ input: tail.stdout })[Symbol.asyncIterator]();
  await daemon.jobd('jobs', 'run', 'good', '--wait');
  const failed = await daemon.jobd('jobs', 'run', 'fails', '--wait', '--json');
  const { value } = await lines.next();
  const {
    jobId,
    responseBody: _,
    truncated: __,
    ...run
  } = (JSON.parse(failed.stdout) as { run: Run }).run;
  const job = { id: jobId, name: 'fails' };
  assert.deepEqual(JSON.parse(String(value)), { ...run, job }, 'the good one is not among them');
  tail.kill('SIGINT');
  assert.deepEqual(await once(tail, 'exit'), [130, null]);

  const asked: string[] = [];
  const url = await startProxy(t, daemon.url, (what) => {
    asked.push(what);
    return null;
  });
  const wait = ['jobs', 'run', 'slow', '--wait'];
  const waiting = startCommand(t, wait, { ...daemon.env, JOBD_URL: url });
  let said = '';
  waiting.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until('it asks for the result', () => asked.some((what) => /\/runs\//.test(what)));
  waiting.kill('SIGINT');
  assert.deepEqual(await once(waiting, 'close'), [130, null]);
  assert.match(said, /^the run continues; to see it: jobd runs get \S+ \S+\n$/);
});
