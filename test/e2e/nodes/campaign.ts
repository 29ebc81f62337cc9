/** Three nodes on one database, their jobs, and everything that may happen to them. */

import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { observe } from '../../support/checks/observe.ts';
import { auditObserved, type Observed, type Span } from '../../support/checks/observed.ts';
import { startSink } from '../../support/fakes/sink.ts';
import type { Arrival } from '../../support/fakes/witness.ts';
import { startProxy, type Proxy } from '../../support/postgres/proxy.ts';
import type { PostgresServer } from '../../support/postgres/server.ts';
import type { Process } from '../../support/running/executable.ts';
import { until } from '../../support/until.ts';
import { askingWith } from '../faults/asking.ts';
import { prepareJobs } from '../postgres/prepared.ts';
import { between, disturbancesBy, restart, type Place, type Replace } from './disturbances.ts';

const nodeCount = 3;
/** Each is due once a minute, all of them evenly spread over it. */
const steadyCount = 180;
/** Jobs whose targets fail and work in turns for a while, some of them from the beginning, others later. */
const unsteadyCount = 60;
/** Calls of such a while: fewer than a channel may have alerts of one job in short intervals. */
const unsteadyCalls = 8;
/** How many times there are at which targets begin to be unsteady. */
const stages = 6;
/** Jobs that are edited, paused and run by hand all the time. */
const spareCount = 12;
const minuteMs = 60_000;

/** As many as an account may have: each may ask 120 times a minute, and all receipts are read in the end. */
const keyCount = 20;

export interface Campaign {
  /** Lets one thing happen, and waits until it is over. Returns what it was. */
  readonly disturb: () => Promise<string>;
  /** Waits until nothing is under way any more, and ends all nodes. Returns what is wrong, and what was observed. */
  readonly settle: () => Promise<{ wrong: string[]; observed: Observed; logs: string }>;
}

/** Starts the nodes. The same numbers of `random` lead to the same disturbances. */
export async function startCampaign(
  t: TestContext,
  server: PostgresServer,
  random: () => number,
): Promise<Campaign> {
  const receiver = await startSink(t);
  const prepared = await prepareJobs(t, server.url, {
    jobs: preparedJobs(Date.now()),
    keyCount,
    alertsTo: receiver.url,
    answer: answering(),
  });
  const { witness, database, jobs, keys } = prepared;
  const spares = jobs.slice(-spareCount);
  const { port } = new URL(receiver.url);
  const options = ['--allow-target', `127.0.0.1/32:${port}`, '--slots', '64'];

  const start = (proxy: Proxy, env: Record<string, string> = {}): Promise<Process> =>
    prepared.start({
      database: proxy.urlOf(database),
      options: [...options, '--base-url', 'http://jobs.example.com'],
      env,
    });

  const places: Place[] = [];
  for (let index = 0; index < nodeCount; index += 1) {
    const proxy = await startProxy(t, server.port);
    const node = await start(proxy);
    const url = await node.listening;
    places.push({ proxy, node, url, inPeaceSince: Date.now(), logs: [] });
  }
  const replace: Replace = async (place, env) => {
    place.logs.push(place.node.log());
    place.node = await start(place.proxy, env);
    place.url = await place.node.listening;
  };
  /** How long nodes were left in peace. */
  const peace: Span[] = [];
  const endPeace = (ended: readonly Place[]): void => {
    for (const { inPeaceSince } of ended) peace.push({ from: inPeaceSince, to: Date.now() });
  };

  let asked = 0;
  const { ask } = askingWith(keys, () => places[(asked += 1) % nodeCount]?.url ?? '');

  const disturbances = disturbancesBy(random, replace);

  const over = new AbortController();
  const edits = keepEditing();

  /** Edits, pauses, resumes and runs the spare jobs, on any node. Whatever is answered must be expected. */
  async function keepEditing(): Promise<string[]> {
    const surprises: string[] = [];
    for (let turn = 0; !over.signal.aborted; turn += 1) {
      const job = `/jobs/${spares[turn % spareCount]}`;
      const requests: [string, string, object?][] = [
        ['PATCH', job, { notes: `turn ${turn}` }],
        ['PATCH', job, { action: 'pause' }],
        ['PATCH', job, { action: 'resume' }],
        ['PATCH', job, { periodSeconds: 60 + turn }],
        ['GET', `${job}/runs`],
        ['POST', `${job}/run`],
      ];
      const round = Math.floor(turn / spareCount);
      const [method, path, body] = requests[(turn + round) % requests.length] ?? ['GET', job];
      // A node that is gone answers nothing.
      const answer = await ask(method, path, body).catch(() => null);
      if (answer !== null && ![200, 202, 409, 429, 503].includes(answer.status)) {
        surprises.push(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      await setTimeout(100, null, { signal: over.signal }).catch(() => {});
    }
    return surprises;
  }

  async function settle(): ReturnType<Campaign['settle']> {
    over.abort();
    const surprises = await edits;
    await Promise.all(places.map(untilReady));
    const observed = await observe(ask, { edited: new Set(spares), witness, receiver });
    endPeace(places);
    const endings = await Promise.all(places.map(({ node }) => node.stop('SIGTERM')));
    const badly = endings.filter((ending) => ending !== 0).map((ending) => `it ended: ${ending}`);
    const logs = places
      .map(({ logs: earlier, node }) => [...earlier, node.log()].join(''))
      .join('');
    return {
      wrong: [...surprises, ...badly, ...auditObserved({ ...observed, peace })],
      observed,
      logs,
    };
  }

  return {
    settle,
    async disturb() {
      const place = places[Math.floor(random() * nodeCount)] ?? places[0]!;
      const ofNode = disturbances[Math.floor(random() * (disturbances.length + 1))];
      const disturbed = ofNode === undefined ? places : [place];
      endPeace(disturbed);
      const what = await (ofNode?.(place) ?? restart(server, random));
      for (const one of disturbed) one.inPeaceSince = Date.now();
      await setTimeout(between(random, 500, 3_000));
      return what;
    },
  };
}

/** Resolves when a node says that it is ready. */
async function untilReady({ url }: Place): Promise<void> {
  const { askSite } = askingWith([], () => url);
  const isReady = async (): Promise<boolean> => (await askSite('/readyz')).status === 200;
  await until('readiness', isReady);
}

/** Jobs that are due once a minute; the spare ones are the last. */
function preparedJobs(now: number) {
  const every = { periodSeconds: minuteMs / 1_000, timeoutSeconds: 10 };
  const spread = (kind: string, count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `${kind}-${index}`,
      createdAt: now - Math.floor((index * minuteMs) / count),
      ...every,
    }));
  return [
    ...spread('steady', steadyCount),
    ...spread('unsteady', unsteadyCount),
    ...spread('spare', spareCount),
  ];
}

/** How targets answer: some take a while, so that calls are in flight whatever happens, and some fail. */
function answering(): (response: ServerResponse, arrival: Arrival) => void {
  const calls = new Map<string, number>();
  const fails = (path: string): boolean => {
    const [, index] = /^\/unsteady-(\d+)$/.exec(path) ?? [];
    if (index === undefined) return false;
    const call = calls.get(path) ?? 0;
    calls.set(path, call + 1);
    const stage = Number(index) % stages;
    return Math.floor(call / unsteadyCalls) === stage && call % 2 === 0;
  };
  return (response, { path }) => {
    response.statusCode = fails(path) ? 500 : 200;
    void setTimeout(path.endsWith('7') ? 4_000 : 20).then(() => response.end('ok'));
  };
}
