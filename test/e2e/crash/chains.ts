/** Chains of jobs whose results are posted, brought to the points around the end of a run at the moment a process is killed. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { RunDocument } from '../../../src/domain/runs/run.ts';
import type { PostgresServer } from '../../support/postgres/server.ts';
import { webhookSecret } from '../../support/records/channel.ts';
import { until } from '../../support/until.ts';
import { holdFirst, otherThan, startKilled, tokenOf, type KilledService } from './service.ts';

/** What has happened to a chain when the process dies, or happens to it at that moment. */
export const points = [
  // The call of the first job is in flight.
  'held',
  // Its target has answered.
  'ending',
  'failing',
  // Its target answered 202 before, and reports.
  'reporting',
  // The calls of the jobs after it are in flight.
  'following',
  // They are answered.
  'followed',
  // Its result was sent, and is not acknowledged.
  'posting',
  // It is acknowledged.
  'posted',
] as const;
export type Point = (typeof points)[number];

/** The jobs of a chain: which one each runs after, and after what. */
export const links = {
  first: null,
  next: { after: 'first', on: 'success' },
  otherwise: { after: 'first', on: 'failed' },
  always: { after: 'first', on: 'finished' },
  last: { after: 'next', on: 'finished' },
} as const;
export type Link = keyof typeof links;
export const linkNames = Object.keys(links) as Link[];

export interface Chain {
  point: Point;
  name: string;
  jobIds: Record<Link, string>;
  /** The run of its first job. */
  runId: string;
  /** The process that called for it; null if that is not known. */
  caller: number | null;
  /** Whether that process was killed during the call. */
  isCallerKilled: boolean;
}

export interface Campaign {
  service: KilledService;
  random: () => number;
  all: Chain[];
  /** Calls and results that are not answered yet, by the names of their jobs. */
  calls: Map<string, ServerResponse>;
  results: Map<string, ServerResponse>;
  /** Jobs whose results were under way when a process died. */
  cut: Set<string>;
}

/** A kill comes up to this long after a target has answered, */
const longestMomentMs = 25;
/** Or sometimes after this, when more has followed. */
const longestPauseMs = 150;

/** Starts a jobd with one process, or with three nodes on a server. */
export async function startChains(
  t: TestContext,
  server: PostgresServer | null,
  random: () => number,
): Promise<Campaign> {
  const calls: Campaign['calls'] = new Map();
  const results: Campaign['results'] = new Map();
  const cut: Campaign['cut'] = new Set();
  const service = await startKilled(t, server, {
    answer(response, { path }) {
      const isHeld = /-first$|^\/follow(ing|ed)-.*-(next|otherwise|always)$/.test(path);
      if (isHeld) calls.set(path.slice(1), response);
      else response.end('ok');
    },
    hear(response, { path, body }) {
      const { name } = JSON.parse(body).data.job as { name: string };
      const isHeld = path === '/results' && /^post.*-first$/.test(name);
      if (isHeld) holdFirst({ open: results, cut }, name, response);
      else response.end();
    },
  });
  return { service, random, all: [], calls, results, cut };
}

const first = ({ name }: Chain): string => `${name}-first`;

/** Brings chains to every point, kills a process, and lets another one take its place. */
export async function round(campaign: Campaign): Promise<void> {
  const { service, random, all, calls, results } = campaign;
  const { count } = service;
  const victim = Math.floor(random() * count);
  const other = otherThan(victim, service, random);
  const began: Chain[] = [];
  // One after the other: on a slow machine, many at once would wait too long for each other.
  for (const point of points) {
    for (const [copy, asked] of [victim, other].entries()) {
      began.push(await begin(campaign, point, { copy, asked }));
    }
  }
  all.push(...began);
  const at = (...these: Point[]) => began.filter(({ point }) => these.includes(point));
  await until('the calls', () => began.every((one) => calls.has(first(one))));
  const callers = await service.callersOf(began.map(({ runId }) => runId));
  for (const [index, one] of began.entries()) one.caller = callers[index] ?? null;

  answer(calls, at('reporting').map(first), 202);
  await Promise.all(at('reporting').map((one) => untilWaiting(campaign, one)));
  answer(calls, at('following', 'followed', 'posting', 'posted').map(first), 200);
  const followers = at('following', 'followed').flatMap(({ name }) => [
    `${name}-next`,
    `${name}-always`,
  ]);
  await until('the calls after them', () => followers.every((name) => calls.has(name)));
  const posted = at('posting', 'posted').map(first);
  await until('the results', () => posted.every((name) => results.has(name)));

  // Each at its own time, so that the kill comes before the record of some ends, and just after that of others.
  const soon = async (act: () => unknown): Promise<void> => {
    await setTimeout(random() * longestMomentMs);
    await act();
  };
  const followed = followers.filter((name) => name.startsWith('followed'));
  const moments = [
    ...at('ending').map((one) => soon(() => answer(calls, [first(one)], 200))),
    ...at('failing').map((one) => soon(() => answer(calls, [first(one)], 500))),
    ...followed.map((name) => soon(() => answer(calls, [name], 200))),
    ...at('posted').map((one) => soon(() => answer(results, [first(one)], 204))),
    ...at('reporting').map((one) => {
      const via = random() < 0.5 ? victim : other;
      return soon(() => report(campaign, one, via));
    }),
  ];
  await setTimeout(random() < 0.7 ? longestMomentMs : random() * longestPauseMs);
  const killing = service.kill(victim);
  for (const one of began) one.isCallerKilled = one.caller === victim || one.caller === null;
  await Promise.all(moments);
  answer(calls, [...calls.keys()], 200);
  answer(results, [...results.keys()], 204);
  await killing;
  await Promise.all(at('reporting').map((one) => report(campaign, one, other)));
}

async function report({ service }: Campaign, one: Chain, node: number): Promise<void> {
  await service.post(`/complete/${tokenOf(service, first(one))}`, { status: 'success' }, node);
}

/** Makes the jobs of a chain, and runs the first. */
async function begin(
  { service, all }: Campaign,
  point: Point,
  { copy, asked }: { copy: number; asked: number },
): Promise<Chain> {
  const name = `${point}-${all.length}-${copy}`;
  const jobIds: Partial<Record<Link, string>> = {};
  for (const link of linkNames) {
    const { after, on } = links[link] ?? {};
    const url = `${service.target.url}/${name}-${link}`;
    const { status, body } = await service.ask(
      'POST',
      '/jobs',
      {
        name: `${name}-${link}`,
        url,
        cronExpr: '0 0 1 1 *',
        onResult: `${service.receiver.url}/results`,
        onResultSecret: webhookSecret,
        ...(after !== undefined && { after: { jobId: jobIds[after], on } }),
        ...(point === 'reporting' && link === 'first' && { awaitSeconds: 3_600 }),
      },
      asked,
    );
    assert.equal(status, 201, JSON.stringify(body));
    jobIds[link] = body.job.id as string;
  }
  const run = await service.ask('POST', `/jobs/${jobIds.first}/run`, undefined, asked);
  assert.equal(run.status, 202, JSON.stringify(run.body));
  const known = {
    point,
    name,
    jobIds: jobIds as Chain['jobIds'],
    runId: run.body.run.id as string,
  };
  return { ...known, caller: null, isCallerKilled: false };
}

function answer(
  these: Map<string, ServerResponse>,
  names: readonly string[],
  status: number,
): void {
  for (const name of names) {
    const response = these.get(name);
    if (response?.writableEnded === false) response.writeHead(status).end();
  }
}

async function untilWaiting({ service }: Campaign, { jobIds, runId }: Chain): Promise<void> {
  const path = `/jobs/${jobIds.first}/runs/${runId}`;
  const isWaiting = async () => {
    const { run } = (await service.ask('GET', path)).body as { run: RunDocument };
    return run.completion !== undefined;
  };
  await until('a wait', isWaiting);
}
