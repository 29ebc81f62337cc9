/** A packaged jobd with its data on a PostgreSQL server of its own, its target and its clients. */

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { assertRefused } from '../../support/checks/answer.ts';
import { audit, type Books } from '../../support/checks/audit.ts';
import type { Witness } from '../../support/fakes/witness.ts';
import { readServerBooks } from '../../support/postgres/books.ts';
import { onServer } from '../../support/postgres/database.ts';
import { notPackaged, type Process } from '../../support/running/executable.ts';
import { noPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import { askingWith, type Asking } from '../faults/asking.ts';
import { prepareJobs } from './prepared.ts';

/** Why these tests cannot run here, or false. */
export const skip = notPackaged || (noPostgres() ?? false);

export interface ServerService extends Asking {
  witness: Witness;
  /** The URL of the database itself. */
  database: string;
  /** Ids of the jobs. Each is due once, in this order, and then not for an hour. */
  jobs: readonly string[];
  /** Starts `jobd serve` with this database, and resolves once it listens. */
  readonly start: (database?: string, options?: readonly string[]) => Promise<Process>;
  /** Makes the jobs due one after the other: from `firstMs` from now on, in `spreadMs`. */
  readonly storm: (firstMs: number, spreadMs: number) => Promise<void>;
  /** Makes the next jobs of a storm due now, one shortly after the other, long before their time. */
  readonly some: (count: number) => Promise<void>;
  /** Makes the jobs due now that would be due later in a storm. */
  readonly hurry: () => Promise<void>;
  /** Answers the calls that were held, and holds no more. */
  readonly release: () => void;
  /** Waits until each job was called or its due time was missed, and all runs have ended. */
  readonly untilSettled: () => Promise<Books>;
  readonly books: () => Promise<Books>;
  /** All errors of the store, compared with the calls. */
  readonly audit: () => Promise<string[]>;
}

const hourMs = 3_600_000;
const keyCount = 4;

/** Between jobs that become due one shortly after the other. */
const someMs = 40;
/** How long the target of every tenth job takes, so that calls are in flight when something happens. */
const slowMs = 300;
/** Longer than calls are held: leases are 15 s. */
const timeoutSeconds = 60;

/** Prepares a store with this many jobs on a server. `holds`: every tenth call is in flight until it is released. */
export async function prepareOnServer(
  t: TestContext,
  server: string,
  jobCount: number,
  { holds } = { holds: false },
): Promise<ServerService> {
  const released = Promise.withResolvers<void>();
  if (!holds) released.resolve();
  const { witness, database, jobs, keys, start } = await prepareJobs(t, server, {
    jobs: Array.from({ length: jobCount }, (_, index) => ({
      name: `job-${index}`,
      periodSeconds: hourMs / 1_000,
      timeoutSeconds,
    })),
    keyCount,
    answer(response, { path }) {
      const slow = path.endsWith('0') && Promise.all([setTimeout(slowMs), released.promise]);
      void Promise.resolve(slow).then(() => response.end('ok'));
    },
  });
  let url = '';
  const books = () => readServerBooks(database);
  /** Makes jobs of these ids due one after the other. */
  async function due(ids: readonly string[], firstAt: number, stepMs: number): Promise<void> {
    // A due time is an hour after the job's start.
    const list = `'{${ids.join()}}'::text[]`;
    const dueAt = `${firstAt} + ${stepMs} * (array_position(${list}, id) - 1)`;
    await onServer(
      database,
      `update jobs set next_run_at = ${dueAt}, anchor_at = ${dueAt} - ${hourMs} where id = any (${list})`,
    );
  }
  let next = 0;
  return {
    witness,
    database,
    jobs,
    ...askingWith(keys, () => url),
    async start(through = database, options = []) {
      const daemon = await start({ database: through, options });
      url = await daemon.listening;
      return daemon;
    },
    storm: (firstMs, spreadMs) => due(jobs, Date.now() + firstMs, Math.floor(spreadMs / jobCount)),
    async some(count) {
      const ids = jobs.slice(next, (next += count));
      assert.ok(ids.length > 0, 'no job is left');
      await due(ids, Date.now(), someMs);
    },
    async hurry() {
      const now = Date.now();
      // A job that was called is due in an hour, or nearly.
      await onServer(
        database,
        `update jobs set next_run_at = ${now}, anchor_at = ${now - hourMs}
         where next_run_at between ${now} and ${now + hourMs / 2}`,
      );
    },
    release: released.resolve,
    untilSettled: () =>
      until('an end of every run', async () => {
        const found = await books();
        const now = Date.now();
        const isDue = found.jobs.some(
          (job) => job.active_run_id !== null || (job.next_run_at ?? Infinity) <= now,
        );
        const isOpen = found.runs.some(({ status }) => status === 'running');
        return !isDue && !isOpen && found.runs.length >= jobCount && found;
      }),
    books,
    audit: async () => audit(await books(), witness.arrivals),
  };
}

/** Resolves when this many calls have arrived. */
export async function untilCalls({ witness }: ServerService, count: number): Promise<void> {
  await until(`${count} calls`, () => witness.arrivals.length >= count);
}

/** Whatever is asked is refused with the reason, and `/readyz` says it; the process is alive. */
export async function assertAway(service: ServerService): Promise<void> {
  const { ask, askSite, jobs, witness } = service;
  const job = { name: 'refused', url: `${witness.url}/refused`, cronExpr: '* * * * *' };
  const requests: [string, string, object?][] = [
    ['GET', '/jobs'],
    ['GET', `/jobs/${jobs[0]}/runs`],
    ['POST', '/jobs', job],
    ['PATCH', `/jobs/${jobs[0]}`, { notes: 'refused' }],
    ['POST', `/jobs/${jobs[0]}/run`],
    ['DELETE', `/jobs/${jobs[0]}`],
  ];
  const why = /^the database cannot be used now: /;
  const refuse = async (request: (typeof requests)[number]): Promise<void> =>
    assertRefused(await ask(...request), 503, why, `${request[0]} ${request[1]}`);
  await Promise.all(requests.map(refuse));
  const { status, body } = await askSite('/readyz');
  assert.equal(status, 503);
  assert.match(
    (body as { error: string }).error,
    /^not ready since \S+: .*the database cannot be used now: /,
  );
  assert.equal((await askSite('/healthz')).status, 200);
}

/** Resolves when the daemon says that it is ready again. */
export async function untilReady({ askSite }: ServerService): Promise<void> {
  const isReady = async (): Promise<boolean> => (await askSite('/readyz')).status === 200;
  await until('readiness', isReady);
}

/** Reads and edits jobs again and again. The function it returns ends that, and asserts that no answer was a surprise. */
export function keepAsking({ ask, jobs }: ServerService): () => Promise<void> {
  const over = new AbortController();
  const surprises: string[] = [];
  const asking = (async () => {
    for (let asked = 0; !over.signal.aborted; asked += 1) {
      const job = `/jobs/${jobs[asked % jobs.length]}`;
      const { status, body } =
        asked % 2 === 0 ? await ask('GET', `${job}/runs`) : await ask('PATCH', job, { notes: 'n' });
      if (![200, 429, 503].includes(status)) surprises.push(`${status} ${JSON.stringify(body)}`);
      await setTimeout(150, null, { signal: over.signal }).catch(() => {});
    }
  })();
  asking.catch(() => {});
  return async () => {
    over.abort();
    await asking;
    assert.deepEqual(surprises, []);
  };
}

/** Each job was called once, with success, and the store says the same. */
export async function assertAllCalledOnce(service: ServerService): Promise<void> {
  const { audit: wrong, books, jobs, witness } = service;
  assert.deepEqual(await wrong(), []);
  const { runs } = await books();
  assert.deepEqual([...new Set(runs.map(({ status }) => status))], ['success']);
  assert.deepEqual([runs.length, witness.arrivals.length], [jobs.length, jobs.length]);
}
