/**
 * A packaged jobd whose processes are killed: one with its data in a file, or three nodes with one database. Its target and the
 * receiver of its alerts live on, and so do its clients: they ask any process that is there.
 */

import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { observe } from '../../support/checks/observe.ts';
import { auditObserved } from '../../support/checks/observed.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink, type Received, type Sink } from '../../support/fakes/sink.ts';
import { onServer } from '../../support/postgres/database.ts';
import type { PostgresServer } from '../../support/postgres/server.ts';
import type { Answer } from '../../support/running/daemon.ts';
import { startServe, type Process } from '../../support/running/executable.ts';
import { databaseOf, testSecretKey, useServer } from '../../support/running/local.ts';
import { prepareStore } from '../../support/running/prepare.ts';
import { until } from '../../support/until.ts';
import { askingWith } from '../faults/asking.ts';

/** How many deaths a campaign has, if nobody says it. */
export function roundsOr(usual: number): number {
  return Number(process.env['JOBD_CRASH_ROUNDS'] ?? usual);
}

/** Each may ask 120 times a minute. */
const keyCount = 20;
const nodeCount = 3;
/** What was one request too many for its key is asked again. */
const mostWaits = 120;
const waitMs = 500;

/** Less than an attempt may take: who gives no answer in time is left alone for minutes. */
const longestHeldMs = 5_000;

interface Place {
  process: Process;
  url: string;
}

type Answering = (response: ServerResponse, request: Received) => void;

/** What a killed jobd is asked with. `node`: the index of a process; by default any. */
export interface KilledService {
  /** The target of the jobs. */
  target: Sink;
  /** What gets the alerts of all jobs. */
  receiver: Sink;
  /** How many processes serve. */
  readonly count: number;
  /** Asks the API; a process that answers nothing makes it reject. */
  readonly ask: (method: string, path: string, body?: object, node?: number) => Promise<Answer>;
  /** Posts to an address of the site. Resolves with the status; null if no answer came. */
  readonly post: (path: string, body: object, node: number) => Promise<number | null>;
  /** The indexes of the processes that call for these runs now, in their order; null if none does. */
  readonly callersOf: (runIds: readonly string[]) => Promise<(number | null)[]>;
  /** Kills a process at once. Resolves when another one serves in its place. */
  readonly kill: (node: number) => Promise<void>;
  /** Waits until no run is open, ends all processes and returns what is wrong, judged from outside. */
  readonly settle: () => Promise<string[]>;
}

/** The end of the URL for reports that the call of a job named; undefined if it was not called. */
export function tokenOf({ target }: KilledService, name: string): string | undefined {
  const call = target.received.find(({ path }) => path === `/${name}`);
  return call && String(call.headers['x-service-report-url']).split('/').at(-1);
}

/** Answers that are held back, by names; and the names of those that were cut off. */
export interface Holding {
  readonly open: Map<string, ServerResponse>;
  readonly cut: Set<string>;
}

/** Holds back the first answer for a name, for a while; others are given at once. */
export function holdFirst({ open, cut }: Holding, name: string, response: ServerResponse): void {
  if (open.has(name)) {
    response.end();
    return;
  }
  open.set(name, response);
  response.once('close', () => response.writableFinished || cut.add(name));
  void setTimeout(longestHeldMs, undefined, { ref: false }).then(() => response.end());
}

/** Any process but this one; the same if there is no other. */
export function otherThan(node: number, { count }: KilledService, random: () => number): number {
  return count === 1 ? node : (node + 1 + Math.floor(random() * (count - 1))) % count;
}

/** Starts it: on a server with three nodes, or else with its data in a file. */
export async function startKilled(
  t: TestContext,
  server: PostgresServer | null,
  { answer, hear }: { answer: Answering; hear: Answering },
): Promise<KilledService> {
  const target = await startSink(t, answer);
  const receiver = await startSink(t, hear);
  const dataDir = temporaryDirectory(t);
  if (server !== null) await useServer(dataDir, server.url);
  const database = databaseOf(dataDir);
  const keys = await prepareStore(dataDir, async ({ addKeys, addWebhook }) => {
    await addWebhook(`${receiver.url}/alerts`);
    return await addKeys(keyCount);
  });
  const place = database === undefined ? ['--data', dataDir] : ['--database', database];
  const options = ['--allow-target', '127.0.0.1/32:*', '--base-url', 'http://jobs.example.com'];
  const env = database === undefined ? {} : { JOBD_SECRET_KEY: testSecretKey };

  async function start(): Promise<Place> {
    const process = startServe(t, [...place, ...options, '--log-level', 'error'], {
      cwd: dataDir,
      env,
    });
    return { process, url: await process.listening };
  }

  const places = [await start()];
  if (server !== null) while (places.length < nodeCount) places.push(await start());
  let turn = 0;
  const urlOf = (node: number): string => places[node % places.length]?.url ?? '';
  const { ask } = askingWith(keys, () => urlOf(turn));
  const read: KilledService['ask'] = async (method, path, body, node = turn + 1) => {
    for (let waits = 0; ; waits += 1) {
      turn = node;
      const answered = await ask(method, path, body);
      if (answered.status !== 429 || waits === mostWaits) return answered;
      await setTimeout(waitMs);
    }
  };

  const isOver = async (): Promise<boolean> =>
    (await read('GET', '/runs?status=queued,running&limit=1')).body.runs.length === 0;
  const untilOver = async (): Promise<void> => {
    await until('an end of all runs', isOver);
  };

  return {
    target,
    receiver,
    count: places.length,
    ask: read,
    async post(path, body, node) {
      const headers = { 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      for (let waits = 0; ; waits += 1) {
        const answered = await fetch(`${urlOf(node)}${path}`, init).catch(() => null);
        await answered?.arrayBuffer().catch(() => {});
        if (answered?.status !== 429 || waits === mostWaits) return answered?.status ?? null;
        await setTimeout(waitMs);
      }
    },
    async callersOf(runIds) {
      if (database === undefined) return runIds.map(() => 0);
      const list = runIds.map((id) => `'${id}'`).join();
      const rows = await onServer<{ id: string; pid: string }>(
        database,
        `select active_run_id as id, nodes.pid from jobs join nodes on nodes.id = active_node_id
         where active_run_id in (${list})`,
      );
      const pids = new Map(rows.map(({ id, pid }) => [id, Number(pid)]));
      return runIds.map((id) => {
        const index = places.findIndex(({ process }) => process.pid === pids.get(id));
        return index === -1 ? null : index;
      });
    },
    async kill(node) {
      await places[node]?.process.stop('SIGKILL');
      places[node] = await start();
    },
    async settle() {
      await untilOver();
      const arrivals = target.received.map(({ headers, path }) => ({
        runId: String(headers['x-service-run-id']),
        path,
        at: 0,
      }));
      const alerts = receiver.received.filter(({ path }) => path === '/alerts');
      const observed = await observe(read, {
        edited: new Set(),
        witness: { arrivals },
        receiver: { received: alerts },
      });
      const endings = await Promise.all(places.map(({ process }) => process.stop('SIGTERM')));
      const badly = endings.filter((ending) => ending !== 0).map((ending) => `it ended: ${ending}`);
      return [...badly, ...auditObserved({ ...observed, peace: [] })];
    },
  };
}
