/** Runs whose targets answer 202 and report later, brought to every point of that story at the moment a process is killed. */

import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Run } from '../../../src/api/runs/contract.ts';
import type { PostgresServer } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';
import { holdFirst, otherThan, startKilled, tokenOf } from './service.ts';
import type { Holding, KilledService } from './service.ts';

/** What has happened to a run when the process dies, or happens to it at that moment. */
export const points = [
  // Asked for by hand, and perhaps not claimed.
  'queued',
  // Its call is in flight.
  'held',
  // Its call is in flight, and it was reported already.
  'early',
  // 202 was sent, and is perhaps not recorded.
  'answered',
  'waiting',
  // Its progress was acknowledged, and more of it is under way.
  'progress',
  'reporting',
  'reported',
  // Reported as a failure, so that there is an alert.
  'failed',
  // Reports that contradict each other are under way, to all processes.
  'both',
  // Its time is over, and it is reported.
  'deadline',
  // Its time is over.
  'expired',
  // The alert of its failure was sent, and is not acknowledged.
  'alerted',
] as const;
export type Point = (typeof points)[number];

/** The points before the answer is recorded. */
export const inCall: ReadonlySet<Point> = new Set(['queued', 'held', 'early', 'answered']);

export interface Sent {
  status: 'success' | 'failed' | 'progress';
  message: string;
  /** The answer; null if none came. */
  answer: number | null;
}

/** A run of a job of its own, and what is known of it. */
export interface Watched {
  point: Point;
  name: string;
  jobId: string;
  /** Null until it is called, if the answer to its request was lost. */
  runId: string | null;
  /** Whether its request was acknowledged. */
  isPromised: boolean;
  /** The process that called; null if that is not known. */
  caller: number | null;
  /** Whether that process was killed during the call. */
  isCallerKilled: boolean;
  /** The process that gets reports. */
  via: number;
  sent: Sent[];
}

/** Calls and alerts that are not answered yet. */
interface Held {
  readonly calls: Map<string, ServerResponse>;
  readonly alerts: Map<string, ServerResponse>;
}

export interface Campaign {
  service: KilledService;
  random: () => number;
  all: Watched[];
  held: Held;
  /** Alerts that were under way when a process died. */
  cutAlerts: Set<string>;
  /** What is under way at this moment. */
  background: Promise<unknown>[];
}

/** A kill comes up to this long after what happens at that moment began, */
const longestMomentMs = 15;
/** Or when the first report of that moment was answered, which is awaited for this long. */
const longestAnswerMs = 500;
/** And up to this long after runs were asked for. */
const longestQueuedMs = 60;
/** Of those whose time ends at the kill. */
const shortSeconds = 1;

/** Starts a jobd with one process, or with three nodes on a server. */
export async function startWaits(
  t: TestContext,
  server: PostgresServer | null,
  random: () => number,
): Promise<Campaign> {
  const held: Held = { calls: new Map(), alerts: new Map() };
  const cutAlerts = new Set<string>();
  const alerts: Holding = { open: held.alerts, cut: cutAlerts };
  const service = await startKilled(t, server, {
    answer(response, { path }) {
      if (path.startsWith('/queued')) response.writeHead(202).end();
      else held.calls.set(path.slice(1), response);
    },
    hear(response, { body }) {
      const { name } = JSON.parse(body).data.job as { name: string };
      if (name.startsWith('alerted')) holdFirst(alerts, name, response);
      else response.end();
    },
  });
  return { service, random, all: [], held, cutAlerts, background: [] };
}

/** Reports, and notes what was answered. */
export async function sendReport(
  campaign: Campaign,
  one: Watched,
  status: Sent['status'],
  node = one.via,
): Promise<number | null> {
  const message = `${status} ${one.sent.length} of ${one.name}`;
  const sent: Sent = { status, message, answer: null };
  one.sent.push(sent);
  const path = `/report/${tokenOf(campaign.service, one.name)}`;
  sent.answer = await campaign.service.post(path, { status, message }, node);
  return sent.answer;
}

/** The run as the API shows it. */
export async function read({ service }: Campaign, one: Watched, node?: number): Promise<Run> {
  const { jobId, runId } = one;
  return (await service.ask('GET', `/jobs/${jobId}/runs/${runId}`, undefined, node)).body.run;
}

/** Brings runs to every point, kills a process, and lets another one take its place. */
export async function round(campaign: Campaign): Promise<void> {
  const { service, random, held } = campaign;
  const { count } = service;
  const began: Watched[] = [];
  // One after the other: on a slow machine, many at once would wait too long for each other.
  for (const point of points) {
    for (let asked = 0; asked < count; asked += 1) {
      began.push(await begin(campaign, point, asked));
    }
  }
  campaign.all.push(...began);
  const at = (...these: Point[]) => began.filter(({ point }) => these.includes(point));
  const called = began.filter(({ point }) => point !== 'queued');
  await until('the calls', () => called.every(({ name }) => held.calls.has(name)));
  const callers = await service.callersOf(called.map(({ runId }) => runId ?? ''));
  for (const [index, one] of called.entries()) one.caller = callers[index] ?? null;
  // It made some of the calls, and gets two of three reports: one, the other, or both.
  const victim = callers[Math.floor(random() * callers.length)] ?? 0;
  const other = otherThan(victim, service, random);
  for (const [index, one] of began.entries()) one.via = index % count === 2 ? other : victim;

  await Promise.all(
    at('early').map(async (one) => must(await sendReport(campaign, one, 'success'))),
  );
  const timed = at('deadline', 'expired');
  const waiting = called.filter((one) => !inCall.has(one.point) && !timed.includes(one));
  answer(held, waiting);
  await Promise.all(waiting.map((one) => untilWaiting(campaign, one)));
  await Promise.all(
    at('alerted').map(async (one) => must(await sendReport(campaign, one, 'failed'))),
  );
  const areAlerted = () => at('alerted').every(({ name }) => held.alerts.has(name));
  await until('the alerts', areAlerted);

  answer(held, timed);
  const ends = await Promise.all(timed.map((one) => untilWaiting(campaign, one)));
  const killAt = ends[Math.floor(random() * ends.length)] ?? 0;
  await setTimeout(Math.max(0, killAt - Date.now() - random() * 60));

  // All of that is acknowledged just before the kill.
  await Promise.all([
    ...at('reported').map(async (one) => must(await sendReport(campaign, one, 'success'))),
    ...at('failed').map(async (one) => must(await sendReport(campaign, one, 'failed'))),
    ...at('progress').map(async (one) => must(await sendReport(campaign, one, 'progress'))),
  ]);
  const queued = at('queued').map((one) => queue(campaign, one, one.via));
  await setTimeout(random() * longestQueuedMs);
  const odd = Math.floor(random() * 2);
  // And that is under way.
  const toVictim = at('reporting').filter(({ via }) => via === victim);
  const reports = toVictim.map((one) => sendReport(campaign, one, 'success'));
  const rest = at('reporting', 'deadline').filter((one) => !toVictim.includes(one));
  const underWay = [
    ...reports,
    ...queued,
    ...at('progress').map((one) => sendReport(campaign, one, 'progress')),
    ...rest.map((one) => sendReport(campaign, one, 'success')),
    ...at('both').flatMap((one) =>
      [victim, other, victim + 1, victim + 2].map((node, index) =>
        sendReport(campaign, one, index % 2 === odd ? 'success' : 'failed', node),
      ),
    ),
  ];
  answer(held, at('answered'));
  // At any time, or at the first answer of the process that dies.
  await (random() < 0.5
    ? setTimeout(random() * longestMomentMs)
    : Promise.race([...reports, setTimeout(longestAnswerMs)]));
  const killing = service.kill(victim);
  for (const one of began) one.isCallerKilled = one.caller === victim || one.caller === null;
  await Promise.all(underWay);
  answer(held, called);
  for (const response of held.alerts.values()) response.end();
  await killing;
  // Half of them are reported again while the others recover, the rest in the end.
  const again = called.filter(() => random() < 0.5);
  campaign.background.push(
    Promise.all(
      again.map((one) => sendReport(campaign, one, 'success', Math.floor(random() * count))),
    ),
  );
}

/** Makes a job. Unless it is to be queued later, runs it. */
async function begin(campaign: Campaign, point: Point, asked: number): Promise<Watched> {
  const { service, all } = campaign;
  const name = `${point}-${all.length}-${asked}`;
  const reportWithinSeconds = point === 'deadline' || point === 'expired' ? shortSeconds : 3_600;
  const url = `${service.target.url}/${name}`;
  const job = { name, url, cronExpr: '0 0 1 1 *', timeoutSeconds: 60, reportWithinSeconds };
  const { status, body } = await service.ask('POST', '/jobs', job, asked);
  assert.equal(status, 201, JSON.stringify(body));
  const known = { point, name, jobId: body.job.id as string, via: asked };
  const one = {
    ...known,
    runId: null,
    isPromised: false,
    caller: null,
    isCallerKilled: false,
    sent: [],
  };
  if (point !== 'queued') {
    await queue(campaign, one, asked);
    assert.ok(one.runId, 'the run was promised');
  }
  return one;
}

async function queue({ service }: Campaign, one: Watched, node: number): Promise<void> {
  const path = `/jobs/${one.jobId}/run`;
  const answered = await service.ask('POST', path, undefined, node).catch(() => null);
  if (answered?.status !== 202) return;
  one.runId = answered.body.run.id;
  one.isPromised = true;
}

function answer({ calls }: Held, these: readonly Watched[]): void {
  for (const { name } of these) {
    const response = calls.get(name);
    if (response?.writableEnded === false) response.writeHead(202).end('accepted');
  }
}

/** Resolves when a run waits, with the moment when its time is over. */
async function untilWaiting(campaign: Campaign, one: Watched): Promise<number> {
  const { report } = await until(`a wait of ${one.name}`, async () => {
    const run = await read(campaign, one);
    return run.report !== undefined && run;
  });
  return Date.parse(report?.expiresAt ?? '');
}

function must(status: number | null): void {
  assert.equal(status, 200);
}
