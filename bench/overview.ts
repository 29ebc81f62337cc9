/**
 * What the requests of the page about a whole workspace cost the main thread: their use cases and the JSON of their
 * answers, on a large store. docs/dashboard-api.md shows the figures.
 */

import { setImmediate } from 'node:timers/promises';
import { jobSummary, monitorSummary } from '../src/api/overview/shape.ts';
import { daysShape, listedRunShape } from '../src/api/runs/shape.ts';
import { runSummaryDocument } from '../src/domain/runs/run.ts';
import type { App, Principal } from '../src/app/app.ts';
import { createOverview } from '../src/app/overview/counts.ts';
import { listJobs } from '../src/app/overview/jobs.ts';
import type { JobListRequest } from '../src/app/overview/jobs.ts';
import { listMonitors } from '../src/app/overview/monitors.ts';
import { listAllRuns } from '../src/app/runs/all-runs.ts';
import { listDays, listHistory } from '../src/app/runs/history.ts';
import type { HistoryRequest } from '../src/app/runs/history.ts';
import { systemClock } from '../src/domain/clock.ts';
import type { Clock } from '../src/domain/clock.ts';
import { badRunStatuses } from '../src/domain/runs/run.ts';
import type { RunStatus } from '../src/domain/runs/run.ts';
import { openStore } from '../src/store/open.ts';
import type { Store } from '../src/store/database/store.ts';
import { defaultWorkspace, findWorkspace } from '../src/store/accounts/workspaces.ts';
import {
  grouped,
  json,
  latencyOf,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { Latency, OptionsOf } from './bench.ts';
import { busyJobId, fill } from './overview-store.ts';

const declared = {
  jobs: wholeNumber(
    'jobs in the store, one in ten with a body of 32 kB, one in 20 with a long URL',
    [100_000, 100, 1_000_000],
  ),
  runs: wholeNumber(
    'runs in the store; one in 33 was no success, one in 50 is of one job',
    [1_000_000, 100, 10_000_000],
  ),
  rounds: wholeNumber('how often each request is made', [200, 10, 10_000]),
  json,
};
type Options = OptionsOf<typeof declared>;

/** The most that a request may take of the main thread. */
const boundMs = 8;
/** It nearly occurs at each place of a long URL. */
const hostileText = `${'a'.repeat(199)}b`;

interface Request {
  name: string;
  readonly make: () => Promise<unknown>;
}

/** The requests by their paths. A new operation of the page gets a line here. */
async function requestsOf(app: App, principal: Principal, clock: Passing): Promise<Request[]> {
  const getOverview = createOverview(app);
  const now = Date.now();
  const jobs = (name: string, request: Partial<JobListRequest> = {}): Request => ({
    name: `/overview/jobs?${name}`,
    async make() {
      const defaults = {
        filter: null,
        text: null,
        order: 'newest',
        limit: 50,
        cursor: null,
      } as const;
      const { items, ...rest } = await listJobs(app, principal, { ...defaults, ...request });
      return { jobs: items.map(jobSummary), ...rest };
    },
  });
  const allRuns = async (statuses: readonly RunStatus[] | null, cursor: string | null) => {
    const page = { statuses, since: null, until: null, limit: 50, cursor };
    const { items, ...rest } = await listAllRuns(app, principal, page);
    return { runs: items.map(listedRunShape), ...rest };
  };
  const trouble = (cursor: string | null) => allRuns(badRunStatuses, cursor);
  const history = (name: string, statuses: HistoryRequest['statuses']): Request => ({
    name: `/jobs/{id}/history${name}`,
    async make() {
      const request = { statuses, before: null, limit: 50, cursor: null };
      const { items, ...rest } = await listHistory(app, principal, busyJobId, request);
      return { runs: items.map(runSummaryDocument), ...rest };
    },
  });
  const days = (count: number): Request => ({
    name: `/jobs/{id}/days?days=${count}`,
    make: async () => daysShape(await listDays(app, principal, busyJobId, count)),
  });
  return [
    {
      name: '/overview',
      make() {
        clock.pass(1_001);
        return getOverview(principal);
      },
    },
    {
      name: '/overview, once a minute',
      make() {
        clock.pass(60_001);
        return getOverview(principal);
      },
    },
    jobs('limit=50'),
    jobs('limit=100', { limit: 100 }),
    jobs('status=down', { filter: 'down' }),
    jobs('status=up', { filter: 'up' }),
    jobs('status=paused', { filter: 'paused' }),
    jobs('status=running', { filter: 'running' }),
    jobs('status=missed', { filter: 'missed' }),
    jobs('order=name', { order: 'name' }),
    jobs('order=name&status=down', { order: 'name', filter: 'down' }),
    jobs('order=due', { order: 'due' }),
    jobs('order=due&status=new', { order: 'due', filter: 'new' }),
    jobs('q=nothing has it', { text: 'nothing has it' }),
    jobs('q=nothing has it&order=name', { text: 'nothing has it', order: 'name' }),
    jobs('q=aaa…b, of 200', { text: hostileText }),
    jobs('q=aaa…b, of 200&order=name', { text: hostileText, order: 'name' }),
    jobs('q=aaa…b, of 200&order=due', { text: hostileText, order: 'due' }),
    {
      name: '/overview/monitors',
      async make() {
        const page = { status: null, text: null, limit: 50, cursor: null, now };
        const { items, ...rest } = await listMonitors(app, principal, page);
        return { monitors: items.map((item) => monitorSummary(item, now)), ...rest };
      },
    },
    { name: '/runs', make: () => allRuns(null, null) },
    { name: '/runs?status=queued', make: () => allRuns(['queued'], null) },
    { name: '/runs?status=failed,interrupted,missed', make: () => trouble(null) },
    {
      name: '/runs?status=failed,interrupted,missed, 2nd page',
      make: async () => trouble((await trouble(null)).nextCursor),
    },
    history('', null),
    history('?status=missed', ['missed']),
    history('?status=success', ['success']),
    history('?status=queued', ['queued']),
    days(30),
    days(366),
  ];
}

/** A clock whose monotonic time passes when it is told to: what is kept for a second or a minute is found out again. */
interface Passing extends Clock {
  pass: (ms: number) => void;
}

function passingClock(): Passing {
  let passedMs = 0;
  return {
    ...systemClock,
    monotonicMs: () => passedMs,
    pass: (ms) => void (passedMs += ms),
  };
}

/** The time until an answer, and the longest stretch of it in which nothing else could be done. */
interface Figure {
  answer: Latency;
  stretch: Latency;
  bytes: number;
}

async function measure({ make }: Request, rounds: number): Promise<Figure> {
  const answers: number[] = [];
  const stretches: number[] = [];
  let bytes = 0;
  for (let round = -Math.ceil(rounds / 10); round < rounds; round += 1) {
    const before = performance.now();
    let lastTurn = before;
    let longest = 0;
    const turn = (): void => {
      longest = Math.max(longest, performance.now() - lastTurn);
      lastTurn = performance.now();
    };
    const pending = { isOver: false };
    const turns = (async () => {
      while (!pending.isOver) {
        await setImmediate();
        turn();
      }
    })();
    bytes = Buffer.byteLength(JSON.stringify(await make()));
    const tookMs = performance.now() - before;
    pending.isOver = true;
    await turns;
    if (round < 0) continue;
    answers.push(tookMs);
    stretches.push(longest);
  }
  return { answer: latencyOf(answers), stretch: latencyOf(stretches), bytes };
}

async function main(options: Options): Promise<boolean> {
  const { jobs, runs, rounds } = options;
  const output = startOutput(options.json, { jobs, runs, rounds });
  using directory = temporaryDirectory();
  await fill(directory.path, options);
  await using store: Store = await openStore(directory.path);
  const workspaceId = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
  const clock = passingClock();
  const app = { store, clock } as unknown as App;
  const principal = { workspaceId, accountExpiresAt: null } as Principal;
  const figures: Record<string, Figure> = {};
  const rows = [['request', 'p50 ms', 'p99 ms', 'at once p50', 'p99 ms', 'bytes']];
  for (const request of await requestsOf(app, principal, clock)) {
    const figure = await measure(request, rounds);
    figures[request.name] = figure;
    const { answer, stretch, bytes } = figure;
    const times = [answer.p50Ms, answer.p99Ms, stretch.p50Ms, stretch.p99Ms];
    rows.push([request.name, ...times.map((ms) => ms.toFixed(2)), grouped(bytes)]);
  }
  output.text(table(rows));
  output.document({ figures });
  const slow = Object.entries(figures).filter(([, { stretch }]) => stretch.p99Ms > boundMs);
  for (const [name] of slow) output.text(`${name} takes more than ${boundMs} ms\n`);
  return slow.length === 0;
}

await run<Options>('overview', 'what requests for lists and counts cost', declared, main);
