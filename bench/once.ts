/**
 * One-time jobs: what many of them cost while they wait, how they are made, some of them due at one instant beside the same without the
 * others, and how they are deleted. CPU time, so that a busy machine changes little.
 */

import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { deleteSpentJobs } from '../src/engine/upkeep/spent-jobs.ts';
import { findDeleted, removeDeleted } from '../src/store/database/owned.ts';
import type { Store } from '../src/store/database/store.ts';
import { openStore } from '../src/store/open.ts';
import { databaseOf } from '../test/support/running/local.ts';
import {
  common,
  grouped,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { OptionsOf } from './bench.ts';
import { cpuSeconds, residentMb, startSink, type HttpServer } from './processes.ts';
import { seedStore } from './seed.ts';
import {
  isClean,
  jobdStorm,
  measureStartUp,
  plainStorm,
  startServer,
  type Setting,
} from './storm-rounds.ts';

const declared = {
  jobs: wholeNumber('one-time jobs that wait', [100_000, 1_000, 1_000_000]),
  due: wholeNumber('how many of them are due at one instant', [10_000, 100, 100_000]),
  seconds: wholeNumber('how long to watch what waits', [60, 5, 3_600]),
  ...common,
};
type Options = OptionsOf<typeof declared>;

const dayMs = 86_400_000;
/** Calls of a request, and how many requests such a one counts as. */
const [perRequest, counted] = [100, 10];
/** Rows of a transaction that deletes. */
const atOnce = 50;

/** What was measured of one server. */
interface Figures {
  /** CPU of making a call, in a batch and one by one. */
  makeUs: number;
  makeOneUs: number;
  /** CPU and memory while there are none, and while all of them wait. */
  emptyMsPerSecond: number;
  emptyRssMb: number;
  waitMsPerSecond: number;
  waitRssMb: number;
  /** Of those that are due at once. */
  callUs: number;
  lastMs: number;
  /** CPU of deleting one, with its run and its receipt. */
  deleteUs: number;
}

async function measure(setting: Setting, options: Options, waiting: number): Promise<Figures> {
  const { due, seconds } = options;
  using directory = temporaryDirectory();
  const dataDir = join(directory.path, 'jobd');
  const singles = 500;
  const requests = Math.ceil(((waiting + due) / perRequest) * counted) + singles + 200;
  const { keys } = await seedStore(dataDir, { origin: setting.sink.origin, jobs: 0, requests });
  const dueAt = Date.now() + 60_000 + (waiting + due) * 3 + seconds * 2_000;
  let figures: Omit<Figures, 'deleteUs'>;
  {
    await using server = await startServer(setting, dataDir);
    await using store = await openStore(databaseOf(dataDir) ?? dataDir);
    const empty = await idle(server, seconds);
    const client = clientOf(server, keys);
    const call = (key: string, runAt: number) => {
      return { key, url: `${setting.sink.origin}/${key}`, runAt: new Date(runAt).toISOString() };
    };
    const makeUs = await cpuOf(server, waiting + due, async () => {
      for (let made = 0; made < waiting + due; made += perRequest) {
        const calls = Array.from({ length: perRequest }, (_, index) => {
          const number = made + index;
          return call(`once/${number}`, number < due ? dueAt : dueAt + dayMs + number);
        });
        await client('/calls', { calls }, counted);
      }
    });
    const makeOneUs = await cpuOf(server, singles, async () => {
      for (let made = 0; made < singles; made += 1) {
        const { key: name, ...job } = call(`one/${made}`, dueAt + dayMs);
        await client('/jobs', { name, ...job }, 1);
      }
    });
    const waits = await idle(server, seconds);
    const { round, audit } = await jobdStorm(setting, { store, server }, { jobs: due, dueAt });
    if (!isClean(due, audit)) throw new Error(`not called once: ${JSON.stringify(audit)}`);
    const storm = { callUs: round.cpuPerRunUs, lastMs: round.latenessMaxMs };
    figures = {
      emptyMsPerSecond: empty.msPerSecond,
      emptyRssMb: empty.rssMb,
      waitMsPerSecond: waits.msPerSecond,
      waitRssMb: waits.rssMb,
      makeUs,
      makeOneUs,
      ...storm,
    };
  }
  await using store = await openStore(databaseOf(dataDir) ?? dataDir);
  return { ...figures, deleteUs: await deletionOf(store, due) };
}

/** What a server takes that has nothing to do. */
async function idle(server: HttpServer, seconds: number) {
  await setTimeout(5_000);
  const us = await cpuOf(server, seconds, () => setTimeout(seconds * 1_000));
  return { msPerSecond: us / 1_000, rssMb: residentMb(server.pid, 'now') };
}

/** Sends requests with one key after the other. */
function clientOf({ url }: HttpServer, keys: readonly string[]) {
  let used = 0;
  return async (path: string, body: object, requests: number): Promise<void> => {
    const headers = {
      authorization: `Bearer ${keys[Math.floor(used / 100)]}`,
      'content-type': 'application/json',
    };
    used += requests;
    const sent = { method: 'POST', headers, body: JSON.stringify(body) };
    const answer = await fetch(`${url}/api/v1${path}`, sent);
    const text = await answer.text();
    if (answer.ok && !text.includes('"id":null')) return;
    throw new Error(`${path} answered ${answer.status} ${text.slice(0, 200)}`);
  };
}

/** The CPU time of a server for one of so many, in microseconds. */
async function cpuOf({ pid }: HttpServer, count: number, work: () => Promise<unknown>) {
  const before = cpuSeconds(pid);
  await work();
  return ((cpuSeconds(pid) - before) * 1e6) / count;
}

/** The CPU time of deleting a job that was called, as the prunings do it, in microseconds. */
async function deletionOf(store: Store, due: number): Promise<number> {
  const before = process.cpuUsage();
  // Eight days later those are a week past; the others are a day younger.
  const now = Date.now() + 7 * dayMs + 3_600_000;
  let deleted = 0;
  for (let found = -1; found !== 0; deleted += found) {
    found = (await store.write((tx) => deleteSpentJobs(tx, now, atOnce))).length;
  }
  if (deleted !== due) throw new Error(`${deleted} jobs were deleted instead of ${due}`);
  for (;;) {
    const id = await findDeleted(store.db, 'jobs');
    if (id === undefined) break;
    await store.write((tx) => removeDeleted(tx, 'jobs', id, atOnce));
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / due;
}

async function main(options: Options): Promise<void> {
  const { jobs, due, seconds } = options;
  const output = startOutput(options.json, { jobs, due, seconds });
  await using sink = await startSink();
  const all = { ...options, ...plainStorm, jobs: [due] };
  const setting: Setting = { options: all, sink, env: {}, startUpMs: 0, server: null };
  setting.startUpMs = await measureStartUp(all);
  const alone = await measure(setting, options, 0);
  const beside = await measure(setting, options, jobs - due);
  const names = Object.keys(alone) as (keyof Figures)[];
  const rows = names.map((name) => {
    const [one, other] = [alone[name], beside[name]];
    return [name, one.toFixed(1), other.toFixed(1), (other / one).toFixed(2)];
  });
  const head = ['', `${grouped(due)} jobs`, `${grouped(jobs)} jobs`, 'ratio'];
  output.text(table([head, ...rows]));
  output.document({ alone, beside });
}

await run('once', 'many one-time jobs: waiting, made, called and deleted', declared, main);
