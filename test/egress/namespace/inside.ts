/**
 * Runs in its own network and mount namespace: the packaged jobd, without any --allow-target, plays
 * a thousand rounds of rebinding against malicious targets and DNS servers. Prints a report.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import { errorOf } from '../../../src/domain/runs/reason.ts';
import type { Run } from '../../../src/domain/runs/run.ts';
import { insertJob } from '../../../src/store/jobs/jobs.ts';
import { listRuns } from '../../../src/store/runs/runs.ts';
import type { Store } from '../../../src/store/database/store.ts';
import { defaultWorkspace, findWorkspace } from '../../../src/store/accounts/workspaces.ts';
import { bearer, send } from '../../support/running/send.ts';
import { until } from '../../support/until.ts';
import { makeRounds, mayBeCalled, type Round } from './rounds.ts';
import { connectionsBegun, makeWorld, responses, type Arrival } from './world.ts';

/** The result. */
export interface Report {
  rounds: number;
  /** Rounds with an unexpected end, as sentences. */
  wrong: string[];
  /** Connections to forbidden addresses. */
  trespasses: string[];
  /**
   * TCP connections attempted during the rounds, and how many of them the sinks and the DNS server
   * saw.
   */
  attempted: number;
  seen: number;
  arrivals: number;
  /**
   * A job made through the API whose name changed before its run: the run's error, and arrivals.
   */
  throughApi: { error: string | null; arrivals: number; lookUpsBefore: number };
}

const [executable = ''] = process.argv.slice(2);
const rounds = makeRounds(1000);
const byHost = new Map(rounds.map((round) => [round.host, round]));
const arrived = new Map<string, number>();
const changing = 'changing.example.com';
let hasChanged = false;

await using parts = new AsyncDisposableStack();
const world = await makeWorld(
  (name) => {
    if (name === changing) return { a: [hasChanged ? '10.9.9.9' : '93.184.216.34'], ttl: 0 };
    const zones = byHost.get(name)?.zones;
    return zones?.[arrived.has(name) ? 1 : 0] ?? {};
  },
  ({ host }: Arrival) => {
    arrived.set(host, (arrived.get(host) ?? 0) + 1);
    return byHost.get(host)?.isBusy === true ? responses.busy : responses.ok;
  },
  '127.0.0.1 localhost\n10.9.8.7 listed.example.com\n',
);
parts.use(world);
const dataDir = mkdtempSync(join(tmpdir(), 'jobd-test-'));
parts.defer(() => rmSync(dataDir, { recursive: true, force: true }));
const { store } = parts.use(await openTestLocal(dataDir));
const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
const key = await makeKey(dataDir);
const jobIds = await addJobs(store);

const attemptedBefore = connectionsBegun();
const daemon = spawn(executable, ['serve', '--port', '0', '--data', dataDir], {
  // Proxies would choose the address; jobd ignores these variables.
  env: {
    HTTP_PROXY: 'http://10.3.1.28:3128',
    HTTPS_PROXY: 'http://10.3.1.28:3128',
    ALL_PROXY: 'http://10.3.1.28:3128',
    NODE_USE_ENV_PROXY: '1',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
parts.defer(() => void daemon.kill('SIGKILL'));
const [line] = (await once(createInterface({ input: daemon.stdout }), 'line')) as [string];
const url = line.replace('listening on ', '');

const runs = await until('every round has ended', endedRuns);
const attempted = connectionsBegun() - attemptedBefore;
const seen = [...world.connections.values()].reduce((sum, count) => sum + count, 0);
const arrivals = world.arrivals.length;
const throughApi = await playThroughApi();

const report: Report = {
  rounds: rounds.length,
  wrong: rounds.flatMap((round, index) => faultOf(round, runs[index])),
  trespasses: [...world.connections.keys()].filter((place) => {
    const [address = '', port] = place.split(' ');
    return !mayBeCalled(address) || (port !== '80' && port !== '443');
  }),
  attempted,
  seen: seen + world.dns.connections,
  arrivals,
  throughApi,
};
process.stdout.write(`\n${JSON.stringify(report)}\n`);

async function makeKey(directory: string): Promise<string> {
  await using local = await openTestLocal(directory);
  const request = { workspace: defaultWorkspace, permission: 'write', name: '' } as const;
  return (await createKey(local, request)).secret;
}

/**
 * Puts a job for each round into the store. Each becomes due once, within 15 s from now: the names
 * of a thousand rounds at one moment are more than one thread answers before the resolver, on a
 * busy machine, has no patience left, and a round without an answer proves nothing.
 */
async function addJobs(into: Store): Promise<string[]> {
  const begin = Date.now() - 3_600_000;
  return await into.write(async (tx) => {
    const ids: string[] = [];
    for (const [index, { kind, host, scheme }] of rounds.entries()) {
      const madeAt = begin + index * 15;
      const job = defineJob(
        {
          name: kind,
          url: 'http://example.com/',
          scheduleType: 'period',
          periodSeconds: 3600,
          timeoutSeconds: 20,
          retries: 1,
        },
        { id: newId(madeAt), workspaceId, now: madeAt, allowTargets: [] },
      );
      // Bypasses the check of the URL text, as if an operator had allowed it earlier.
      await insertJob(tx, { ...job, url: `${scheme}://${host}/`, sealed: null });
      ids.push(job.id);
    }
    return ids;
  });
}

async function endedRuns(): Promise<Run[] | null> {
  const counted = await store.db
    .selectFrom('runs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('status', 'not in', ['queued', 'running'])
    .executeTakeFirstOrThrow();
  if (counted.count < rounds.length) return null;
  const found = await Promise.all(
    jobIds.map((jobId) => listRuns(store.db, jobId, { limit: 2, before: null })),
  );
  return found.flatMap((all) => all.slice(0, 1));
}

function faultOf(round: Round, run: Run | undefined): string[] {
  const error = run === undefined ? null : errorOf(run);
  const came = arrived.get(round.host) ?? 0;
  const isRight =
    run?.status === (round.error === null ? 'success' : 'failed') &&
    (round.error === null ? error === null : round.error.test(error ?? '')) &&
    run.attempts === round.attempts &&
    came === round.arrivals;
  if (isRight) return [];
  const how = `${run?.status} "${error}", ${run?.attempts} attempts, ${came} arrivals`;
  return [`${round.kind} (${round.host}, ${JSON.stringify(round.zones)}): ${how}`];
}

async function ask(method: string, path: string, body: object): Promise<unknown> {
  return await (await send(`${url}/api/v1${path}`, method, body, bearer(key))).json();
}

/** Creates a job while its name is public, and runs it when it is not. */
async function playThroughApi(): Promise<Report['throughApi']> {
  const questions = (): number => world.dns.questions.filter((q) => q.endsWith(changing)).length;
  const made = (await ask('POST', '/jobs', { name: 'a', url: `http://${changing}/` })) as {
    job: { id: string };
  };
  const lookUpsBefore = questions();
  hasChanged = true;
  await ask('POST', `/jobs/${made.job.id}/run`, {});
  const run = await until('the run has ended', async () => {
    const [last] = await listRuns(store.db, made.job.id, { limit: 1, before: null });
    return last?.finishedAt ? last : null;
  });
  return { error: errorOf(run), arrivals: arrived.get(changing) ?? 0, lookUpsBefore };
}
