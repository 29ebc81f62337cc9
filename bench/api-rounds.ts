/** One round: both servers fresh and side by side on copies of one store, asked in turns. */

import { join } from 'node:path';
import { startChild } from './child.ts';
import type { Child } from './child.ts';
import type { Answers, ClientSaid, ClientTold, Operation, Task } from './api-client.ts';
import { sideOf } from './api-figures.ts';
import type { Pair } from './api-figures.ts';
import type { Options } from './api-options.ts';
import { copyStore } from './api-seed.ts';
import type { Seed } from './api-seed.ts';
import { startBare, startJobd } from './api-server.ts';
import { temporaryDirectory } from './directory.ts';
import type { HttpServer } from './server.ts';
import { cpuSeconds } from './processes.ts';

export type Client = Child<ClientSaid, ClientTold>;

const readyWithinMs = 30_000;
/** However slow a server is: a request may take so long before the bench is given up. */
const longestRequestMs = 20;

/** A server with the client that asks it. */
export interface Asked {
  server: HttpServer;
  client: Client;
}

/** How often each operation is asked in a round, after a warming up. */
export function plan({ requests }: Options): { operation: Operation; count: number }[] {
  return [
    { operation: 'getJob', count: requests },
    { operation: 'listJobs', count: Math.ceil(requests / 5) },
    { operation: 'createJob', count: Math.ceil(requests / 4) },
  ];
}

/** Requests to one server in a round, warming up included. */
export function requestsOfRound(options: Options): number {
  return plan(options).reduce((sum, { count }) => sum + warmCount(count) + count, 0) + spare;
}

/** Room for what `compareAnswers` asks, and for halves that are rounded up. */
const spare = 100;

function warmCount(count: number): number {
  return Math.ceil(count / 4);
}

/** Asks each operation: warm up both, then jobd, bare, bare, jobd; the other way round in odd rounds. */
export async function round(options: Options, seed: Seed, number: number): Promise<Pair[]> {
  using directory = temporaryDirectory();
  const dataDirOf = (name: string): string => copyStore(seed.dataDir, join(directory.path, name));
  await using jobdServer = await startJobd(options, dataDirOf('jobd'));
  await using bareServer = await startBare(options, dataDirOf('bare'));
  await using jobdClient = await startClient(jobdServer, seed, options.concurrency);
  await using bareClient = await startClient(bareServer, seed, options.concurrency);
  await compareAnswers(jobdServer.url, bareServer.url, seed);

  const jobd: Asked = { server: jobdServer, client: jobdClient };
  const bare: Asked = { server: bareServer, client: bareClient };
  const order = number % 2 === 0 ? [jobd, bare, bare, jobd] : [bare, jobd, jobd, bare];
  const pace = { inFlight: options.concurrency };
  const pairs: Pair[] = [];
  for (const { operation, count } of plan(options)) {
    for (const asked of [jobd, bare]) {
      await ask(asked.client, { operation, count: warmCount(count), pace });
    }
    const slices = new Map([jobd, bare].map((asked) => [asked, [] as Slice[]]));
    for (const asked of order) {
      const cpuBefore = cpuSeconds(asked.server.pid);
      const answers = await ask(asked.client, { operation, count: Math.ceil(count / 2), pace });
      const serverCpuSeconds = cpuSeconds(asked.server.pid) - cpuBefore;
      slices.get(asked)?.push({ answers, serverCpuSeconds });
    }
    const sideFor = (asked: Asked) => sideOf(slices.get(asked) ?? []);
    pairs.push({ operation, jobd: sideFor(jobd), bare: sideFor(bare) });
  }
  return pairs;
}

interface Slice {
  answers: Answers;
  serverCpuSeconds: number;
}

/** A fresh client for a server. */
export async function startClient(
  { url }: HttpServer,
  { keys, jobIds }: Pick<Seed, 'keys' | 'jobIds'>,
  connections: number,
): Promise<Client> {
  const client = startChild<ClientSaid, ClientTold>('api-client.ts', []);
  client.tell({ kind: 'begin', origin: url, keys, ids: jobIds, connections });
  await client.hear('ready', readyWithinMs);
  return client;
}

/** Has a client do a task. Throws if any request does not succeed. */
export async function ask(client: Client, task: Task): Promise<Answers> {
  client.tell({ kind: 'ask', task });
  const paceMs = 'everyMs' in task.pace ? task.pace.everyMs : 0;
  const withinMs = readyWithinMs + task.count * (longestRequestMs + paceMs);
  const { answers } = await client.hear('answered', withinMs);
  const { failed, firstFailure } = answers;
  if (failed > 0) throw new Error(`${failed} of ${task.count} failed, the first: ${firstFailure}`);
  return answers;
}

/** The yardstick must answer a reading what jobd answers, or it does other work. Throws if it does not. */
async function compareAnswers(jobd: string, bare: string, { keys, jobIds }: Seed): Promise<void> {
  const headers = { authorization: `Bearer ${keys[0]}` };
  for (const path of [`/api/v1/jobs/${jobIds[0]}`, '/api/v1/jobs']) {
    const [ours, theirs] = await Promise.all(
      [jobd, bare].map(async (url) => (await fetch(url + path, { headers })).text()),
    );
    if (path === '/api/v1/jobs') compareLists(ours ?? '', theirs ?? '');
    else if (ours !== theirs) throw new Error(`${path}: jobd answers ${ours}, bare ${theirs}`);
  }
}

/** Cursors may be written in another way. */
function compareLists(ours: string, theirs: string): void {
  const [a, b] = [ours, theirs].map((text) => (JSON.parse(text) as { jobs: unknown[] }).jobs);
  if (JSON.stringify(a) !== JSON.stringify(b)) throw new Error('jobd and bare list other jobs');
}
