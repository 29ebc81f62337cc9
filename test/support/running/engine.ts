/** A real engine on a real store, with a fake wall clock. */

import type { TestContext } from 'node:test';
import { pino } from 'pino';
import { unheard } from '../fakes/changes.ts';
import type { JobInput } from '../../../src/domain/jobs/job-input.ts';
import type { Job } from '../../../src/domain/jobs/job.ts';
import { errorOf } from '../../../src/domain/runs/reason.ts';
import type { Run } from '../../../src/domain/runs/run.ts';
import { createEgress } from '../../../src/egress/egress.ts';
import { createMailAllowance } from '../../../src/engine/alerts/mail-limit.ts';
import { alone } from '../../../src/engine/nodes/membership.ts';
import { createSpaceWatch } from '../../../src/engine/upkeep/space-watch.ts';
import { startEngine, type Engine, type EngineParts } from '../../../src/engine/engine.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import { insertQueuedRun, listRuns } from '../../../src/store/runs/runs.ts';
import { seed, seededRandom } from '../dice.ts';
import { fakeClock, type FakeClock } from '../fakes/clock.ts';
import { queuedRun } from '../records/run.ts';
import { loopback, openTestStore, type TestStore } from './store.ts';
import { until } from '../until.ts';
import { uncounted } from '../fakes/meter.ts';
import { opened, testVault } from '../fakes/vault.ts';

export interface LogLine {
  level: number;
  msg: string;
  err?: { message: string };
  error?: string | null;
  latenessMs?: number;
}

/** A run, and its error as people see it. */
export type SeenRun = Omit<Run, 'reason' | 'detail' | 'missed'> & { error: string | null };

export interface TestEngine extends Engine {
  readonly wakeNotifier: () => void;
}

export interface EngineTest extends TestStore {
  clock: FakeClock;
  logged: LogLine[];
  /** Starts an engine; it stops with the test. Ten slots by default. */
  readonly start: (parts?: Partial<EngineParts>) => Promise<TestEngine>;
  /** Requests a manual run. */
  readonly ask: (job: Job) => Promise<Run>;
  /** All runs of a job, the oldest first. */
  readonly runsOf: (job: Job) => Promise<SeenRun[]>;
  /**
   * Waits until this many runs of a job have ended (missed ones too), and returns all, oldest
   * first.
   */
  readonly endedRuns: (job: Job, count: number) => Promise<SeenRun[]>;
  readonly readJob: (job: Job) => Promise<Job>;
}

/** Eleven minutes past the hour of a job's creation: when jobs of `dueOnce` are due. */
export const dueAt = Date.parse('2026-03-02T10:11:00Z');

/** A job that is due at `dueAt`, and then not for an hour. */
export const dueOnce = { cronExpr: '11 * * * *' } satisfies Partial<JobInput>;

/** The parts of an engine that has its store to itself, sends no mail and signs nothing. */
export function enginePartsFor(
  given: Pick<EngineParts, 'store' | 'egress' | 'clock' | 'log'>,
): EngineParts {
  const { store, clock } = given;
  return {
    ...given,
    vault: testVault,
    siteUrl: () => 'https://jobd.example.com',
    membership: alone(clock),
    slots: 10,
    slotsPerHost: 10,
    heldJobs: () => [],
    signer: null,
    directory: null,
    duties: new Map(),
    random: seededRandom(seed),
    traceContext: false,
    reportUrlOf: (runId: string) => `https://jobd.test/report/${runId}`,
    spans: null,
    mailer: null,
    mailAllowance: createMailAllowance({ store, clock }),
    changes: unheard,
    wakeOthers: () => {},
    meter: uncounted,
    space: createSpaceWatch({ ...given, meter: uncounted, limitBytes: null }),
    drainMs: 5_000,
  };
}

/** What an engine finds, in its sentences. */
export function detailsOf(engine: Pick<Engine, 'findings'>): string[] {
  return engine.findings().map(({ detail }) => detail);
}

/** Makes the parts; the engine and its connections are stopped before the store is closed. */
export async function setupEngine(t: TestContext, clock = fakeClock()): Promise<EngineTest> {
  const parts = new AsyncDisposableStack();
  t.after(() => parts.disposeAsync());
  const testStore = await openTestStore(t);
  const { store, workspaceId } = testStore;
  const logged: LogLine[] = [];
  const write = (line: string): void => void logged.push(JSON.parse(line) as LogLine);
  const log = pino({ level: 'debug' }, { write });

  const start = async (changes: Partial<EngineParts> = {}): Promise<TestEngine> => {
    const egress = parts.use(
      createEgress({ allowTargets: loopback, connectionsPerHost: 100, userAgent: 'jobd/test' }),
    );
    const defaults = enginePartsFor({ store, egress, clock, log });
    const engine = parts.use(startEngine({ ...defaults, ...changes }));
    return { ...engine, wakeNotifier: () => engine.wake('notify') };
  };
  const ask = async (job: Job): Promise<Run> => {
    const run = queuedRun(job.id, clock.now());
    await insertQueuedRun(store.db, run, null);
    return run;
  };
  const runsOf = async (job: Job): Promise<SeenRun[]> =>
    (await listRuns(store.db, job.id, { limit: 1_000, before: null }))
      .map(({ reason, detail, missed, ...run }) => {
        const { httpStatus } = run;
        const why = { reason, detail, httpStatus, ...(missed && { missed }) };
        return { ...run, error: errorOf(why) };
      })
      .toReversed();
  const endedRuns = (job: Job, count: number): Promise<SeenRun[]> =>
    until(`${count} ended runs`, async () => {
      const runs = await runsOf(job);
      const ended = runs.filter(({ status }) => status !== 'queued' && status !== 'running');
      return ended.length >= count ? runs : null;
    });
  const readJob = async (job: Job): Promise<Job> => {
    const found = await findJob(store.db, workspaceId, job.id);
    if (found === undefined) throw new Error('the job is gone');
    return opened(found);
  };
  return { ...testStore, clock, logged, start, ask, runsOf, endedRuns, readJob };
}
