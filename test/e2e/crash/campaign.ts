/** A store that survives many kills of its daemon, and what clients know about it. */

import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { audit, readBooks, readRunning } from '../../support/checks/audit.ts';
import { wrongInLedger } from '../../support/checks/ledger.ts';
import { auditMakeUps, type MadeUp } from '../../support/checks/make-ups.ts';
import { auditReceipts, unsignedIn } from '../../support/checks/audit-receipts.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startServe, type Ending, type Process } from '../../support/running/executable.ts';
import { prepareStore } from '../../support/running/prepare.ts';
import { until } from '../../support/until.ts';
import { startWitness, type Witness } from '../../support/fakes/witness.ts';
import { askUntilGone, brokenPromises, noPromises, type Promises } from './customer.ts';
import type { Kill } from './kills.ts';

export interface Campaign {
  dataDir: string;
  witness: Witness;
  promises: Promises;
  apiKeys: string[];
  random: () => number;
  round: number;
  /** Counted in the end. */
  madeUp: MadeUp;
}

/** Concurrent customers, each with their own key. */
const customers = 4;
/** A kill that did not reach its point happens anyway so long after the customers asked for everything that they want. */
const patienceMs = 4_000;

/** Makes the store, with jobs that stay for the whole campaign. */
export async function startCampaign(t: TestContext, random: () => number): Promise<Campaign> {
  const witness = await startWitness(t, (response, { path }) => {
    if (path.startsWith('/slow')) void setTimeout(200).then(() => response.end('slow'));
    else response.writeHead(path.startsWith('/fail') ? 500 : 200).end('done');
  });
  const dataDir = join(temporaryDirectory(t), 'data');
  const promises = noPromises();
  const madeUp = { made: 0, dropped: 0 };
  const campaign: Campaign = { dataDir, witness, promises, apiKeys: [], random, round: 0, madeUp };
  await prepareStore(dataDir, async ({ addKeys, addJob }) => {
    campaign.apiKeys.push(...(await addKeys(customers)));
    await addJob(
      { name: 'cron', url: `${witness.url}/quick/cron`, cronExpr: '* * * * *' },
      Date.now(),
    );
  });
  await addJobs(campaign, 'old', 60, () => 60);
  return campaign;
}

/**
 * Adds jobs whose next due time is between 55 s ago and 2 s ahead. Some are old enough to have
 * missed due times.
 */
async function addJobs(
  { dataDir, witness, random, promises }: Campaign,
  kind: string,
  count: number,
  periodSeconds: () => number,
): Promise<void> {
  await prepareStore(dataDir, async ({ addJob }) => {
    for (let made = 0; made < count; made += 1) {
      const period = periodSeconds();
      const dueAt = Date.now() - 55_000 + random() * 57_000;
      const periodsBefore = random() < 0.2 ? 1 + Math.floor(random() * 5) : 1;
      const createdAt = Math.round(dueAt - periodsBefore * period * 1_000);
      const manner = ['quick', 'quick', 'slow', 'fail'][Math.floor(random() * 4)];
      const name = `${kind}-${made}`;
      const url = `${witness.url}/${manner}/${name}`;
      const makeUpSeconds = random() < 0.5 ? 3_600 : null;
      const every = { scheduleType: 'period', periodSeconds: period, notes: '0' } as const;
      const job = await addJob({ name, url, makeUpSeconds, ...every }, createdAt);
      promises.jobs.set(job.id, { notes: 0, notesAsked: 0, deletion: 'none' });
    }
  });
}

/** Adds jobs whose newest due time has just been missed, or comes soon: half of them are called once. */
async function addLate(
  { dataDir, witness, random, promises }: Campaign,
  kind: string,
  count: number,
): Promise<void> {
  await prepareStore(dataDir, async ({ addJob }) => {
    for (let made = 0; made < count; made += 1) {
      const isMissed = random() < 0.7;
      const dueAt = Date.now() + (isMissed ? -61_000 - random() * 120_000 : random() * 2_000);
      const createdAt = Math.round(dueAt / 1_000) * 1_000 - 3_600_000;
      const name = `${kind}-${made}`;
      const url = `${witness.url}/quick/${name}`;
      const when =
        random() < 0.5
          ? { runAt: new Date(Math.round(dueAt)).toISOString() }
          : { scheduleType: 'period' as const, periodSeconds: 3_600, makeUpSeconds: 3_600 };
      const job = await addJob({ name, url, notes: '0', ...when }, createdAt);
      promises.jobs.set(job.id, { notes: 0, notesAsked: 0, deletion: 'none' });
    }
  });
}

/** The result of a round. */
export interface Round {
  ending: Ending;
  /** Whether the daemon died at the intended point. */
  reached: boolean;
  wrong: string[];
}

/** Adds jobs, starts the daemon, sends requests, kills it, and audits what is left. */
export async function crash(t: TestContext, campaign: Campaign, kill: Kill): Promise<Round> {
  const { dataDir, witness, random, promises } = campaign;
  campaign.round += 1;
  // Opening the store recovers it, so two of three rounds do that first; the others start on the
  // files as they are.
  if (campaign.round % 3 !== 0) {
    const period = () => 60 + Math.floor(random() * 3_541);
    await addJobs(campaign, `round${campaign.round}`, 30, period);
    await addLate(campaign, `late${campaign.round}`, 3);
  }
  const leftRunning = new Set(runningIn(dataDir));
  const daemon = startDaemon(t, campaign, kill.wrapper(random));
  const wrong: string[] = [];
  const struck = kill
    .strike({ daemon, dataDir, witness, random, promises, leftRunning })
    .catch(() => {});
  const asked = askAll(campaign, daemon, kill);
  const rescued = rescueOf(daemon, dataDir, leftRunning).then((late) => wrong.push(...late));
  const given = new AbortController();
  const isDead = Promise.race([struck, daemon.ended]).then(() => true);
  const isLate = Promise.all([daemon.listening, asked])
    .then(async () => await setTimeout(patienceMs, undefined, { signal: given.signal }))
    .then(
      () => false,
      async () => await isDead,
    );
  const reached = await Promise.race([isDead, isLate]);
  given.abort();
  witness.onArrival = witness.onAnswer = promises.onRun = null;
  const ending = await daemon.stop('SIGKILL');
  await Promise.all([asked, rescued]);
  const books = readBooks(dataDir);
  wrong.push(...audit(books, witness.arrivals), ...brokenPromises(campaign.promises, books));
  wrong.push(...auditMakeUps(dataDir, { made: 0, dropped: 0 }));
  // Killed, or stopped by the campaign (perhaps before it handled signals); otherwise it ended by
  // itself.
  const isKilled = ending === 'SIGKILL' || ending === 'SIGTERM' || ending === 0;
  if (!isKilled && !kill.mayEnd) wrong.push(`it ended with ${ending}: ${daemon.log()}`);
  return { ending, reached: reached && isKilled, wrong };
}

function runningIn(dataDir: string): string[] {
  using running = readRunning(dataDir);
  return running.ids();
}

function startDaemon(t: TestContext, { dataDir, witness }: Campaign, wrapper: string[]): Process {
  const port = new URL(witness.url).port;
  const args = ['--data', dataDir, '--allow-target', `127.0.0.1/32:${port}`];
  return startServe(t, args, { cwd: join(dataDir, '..'), wrapper });
}

async function askAll(campaign: Campaign, daemon: Process, { mayAnswer }: Kill): Promise<void> {
  const { apiKeys, witness, random, promises } = campaign;
  let isOver = false;
  void daemon.ended.then(() => (isOver = true));
  const url = await daemon.listening.catch(() => null);
  if (url === null) return;
  const customersOf = apiKeys.map((apiKey) => ({
    url,
    apiKey,
    targetUrl: witness.url,
    random,
    mayAnswer,
  }));
  await Promise.all(customersOf.map((customer) => askUntilGone(customer, promises, () => isOver)));
}

/** Waits until no run of an earlier process is running, or the daemon is dead. */
async function rescueOf(
  daemon: Process,
  dataDir: string,
  left: ReadonlySet<string>,
): Promise<string[]> {
  let isDead = false;
  void daemon.ended.then(() => (isDead = true));
  if ((await daemon.listening.catch(() => null)) === null) return [];
  using running = readRunning(dataDir);
  const isRescued = () => isDead || !running.ids().some((id) => left.has(id));
  return await until('the rescue', isRescued).then(
    () => [],
    () => ['runs of an earlier process were still running long after a start'],
  );
}

/** Starts once more, lets everything end, stops, and returns the errors. */
export async function settle(t: TestContext, campaign: Campaign): Promise<string[]> {
  const { dataDir, witness, promises } = campaign;
  const leftRunning = new Set(runningIn(dataDir));
  const daemon = startDaemon(t, campaign, []);
  await daemon.listening;
  const late = await rescueOf(daemon, dataDir, leftRunning);
  if (late.length > 0) return late;
  const isOpen = (): boolean => {
    const { runs, jobs } = readBooks(dataDir);
    const now = Date.now();
    const openRuns = runs.filter(({ status }) => status === 'queued' || status === 'running');
    return openRuns.length > 0 || jobs.some((job) => (job.next_run_at ?? Infinity) <= now - 2_000);
  };
  const isSettled = (): boolean => !isOpen() && unsignedIn(dataDir) === 0;
  await until('everything to end', isSettled);
  const ending = await daemon.stop('SIGTERM');
  const books = readBooks(dataDir);
  const open = books.runs.filter(({ status }) => status === 'queued' || status === 'running');
  return [
    ...(ending === 0 ? [] : [`the last stop ended with ${ending}: ${daemon.log()}`]),
    ...open
      .filter(({ status }) => status === 'running')
      .map(({ id }) => `run ${id} is still running`),
    ...audit(books, witness.arrivals),
    ...auditMakeUps(dataDir, campaign.madeUp),
    ...auditReceipts(dataDir),
    ...(await wrongInLedger(dataDir)),
    ...brokenPromises(promises, books),
  ];
}
