/**
 * Processes are killed at every point of a call whose target reports later: no run is lost, none ends twice or is called twice,
 * what was acknowledged counts, a URL is good for one report, and of its own run. One process has its data in a file and starts
 * again; three nodes share a server, and one of them is killed: the one that made the call, the one that gets the report, or
 * both. All of that is judged from outside: by what targets and receivers got, what was answered, and what the API says.
 *
 *   JOBD_CRASH_ROUNDS=50   deaths (2 of the one, 2 of three)
 */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Run } from '../../src/api/runs/contract.ts';
import { startPostgres, type PostgresServer } from '../support/postgres/server.ts';
import { untilReceived } from '../support/checks/observe.ts';
import { repeatedBy, rollDice } from '../support/dice.ts';
import { notPackaged } from '../support/running/executable.ts';
import { until } from '../support/until.ts';
import { inCall, points, read, round, sendReport, startWaits } from './crash/waits.ts';
import type { Campaign, Sent, Watched } from './crash/waits.ts';
import { roundsOr, tokenOf } from './crash/service.ts';
import { skip } from './postgres/service.ts';

/** How many URLs are made of two. */
const mostMixed = 5;

// For a minute after its start a process ends no wait for being out of time.
describe('waits survive kill -9', { concurrency: 2 }, () => {
  test('at every point', { skip: notPackaged }, async (t) => {
    await runCampaign(t, null, roundsOr(2));
  });

  test('of one of three nodes', { skip }, async (t) => {
    await using server = await startPostgres();
    await runCampaign(t, server, roundsOr(2));
  });
});

async function runCampaign(
  t: TestContext,
  server: PostgresServer | null,
  rounds: number,
): Promise<void> {
  const campaign = await startWaits(t, server, rollDice(t));
  for (let done = 0; done < rounds; done += 1) await round(campaign);
  await Promise.all(campaign.background);
  const ended = await endAll(campaign);
  await untilReceived('alerts', () => unheard(campaign).length === 0);
  const wrong = [
    ...campaign.all.flatMap((one) => judge(one, ended.get(one) ?? null)),
    ...(await misuse(campaign, ended)),
    ...unheard(campaign),
    ...(await campaign.service.settle()),
  ];
  tell(t, campaign, ended);
  assert.deepEqual(wrong, [], repeatedBy);
}

type Ended = ReadonlyMap<Watched, Run>;

/** Reports a success of each run once more, but for those whose time is over, and reads what became of it. */
async function endAll(campaign: Campaign): Promise<Ended> {
  const { service, random, all } = campaign;
  const ended = new Map<Watched, Run>();
  for (const one of all) {
    const { runs } = (await service.ask('GET', `/jobs/${one.jobId}/runs`)).body as { runs: Run[] };
    one.runId ??= runs[0]?.id ?? null;
    const isCalled = () => tokenOf(campaign.service, one.name) !== undefined;
    if (one.runId === null) continue;
    const isOver = async () => isCalled() || (await read(campaign, one)).finishedAt !== null;
    await until(`a call of ${one.name}`, isOver);
    // A report would count if the process has just started.
    if (one.point === 'expired') continue;
    if (isCalled())
      await sendReport(campaign, one, 'success', Math.floor(random() * service.count));
  }
  // In its first minute a process ends no wait for being out of time, so there is nothing to see in half of it.
  await setTimeout(30_000);
  for (const one of all) {
    if (one.runId === null) continue;
    const run = async () => {
      const now = await read(campaign, one);
      return now.finishedAt !== null && now;
    };
    ended.set(one, await until(`an end of ${one.name}`, run));
  }
  return ended;
}

/** What is wrong with a run: the acknowledged report ended it, and nothing but a lost process interrupted it. */
function judge(one: Watched, run: Run | null): string[] {
  const wrong: string[] = [];
  const say = (what: string): void => {
    wrong.push(`${one.name}, ${run?.id}: ${what}; ${JSON.stringify({ run, sent: one.sent })}`);
  };
  if (run === null) return one.isPromised ? [`${one.name}: an acknowledged run is lost`] : [];
  const reports = one.sent.filter(({ status }) => status !== 'progress');
  const kept = reports.filter(({ answer }) => answer === 200);
  const mayBeKept = reports.filter(({ answer }) => answer === 200 || answer === null);
  if (one.sent.some(({ answer }) => answer !== null && answer !== 200 && answer !== 409)) {
    say('a report got a surprising answer');
  }
  if (kept.length > 1) say('two reports were acknowledged');
  const { report } = run;
  const counted = reports.find(({ message }) => message === report?.message);
  if (run.status === 'interrupted') {
    if (!inCall.has(one.point)) say('it waited, and was interrupted');
    if (one.point !== 'queued' && !one.isCallerKilled) say('its caller lived');
    if (report !== undefined) say('it waits and is interrupted');
    const said = /its target had reported (\w+)$/.exec(run.error ?? '')?.[1];
    if (kept[0] !== undefined && said !== kept[0].status) say('its report is forgotten');
    if (said !== undefined && !mayBeKept.some(({ status }) => status === said))
      say('no such report');
    return wrong;
  }
  if (run.httpStatus !== 202) say('it was not answered');
  if (report?.outcome === 'expired') {
    if (!['deadline', 'expired'].includes(one.point)) say('its time is not over');
    if (kept.length > 0) say('an acknowledged report does not count');
    if (run.status !== 'failed' || !/no report within 1 s/.test(run.error ?? '')) say('why?');
  } else if (counted === undefined || !mayBeKept.includes(counted)) say('what ended it?');
  else {
    if (kept[0] !== undefined && kept[0] !== counted) say('another report counts');
    if (run.status !== counted.status || report?.outcome !== counted.status) say('not as reported');
    if (report?.reportedBy !== 'target') say('who reported?');
  }
  const [first, second] = one.sent.filter(({ status }) => status === 'progress');
  const line = report?.line ?? null;
  if (first?.answer === 200 && ![first.message, second?.message].includes(line ?? '')) {
    say('acknowledged progress is lost');
  }
  if (second?.answer === 200 && line !== second.message) say('the last progress is lost');
  return wrong;
}

/** What is wrong with URLs: each was good for one report, which nothing changes, and none fits another run. */
async function misuse(campaign: Campaign, ended: Ended): Promise<string[]> {
  const { service, random } = campaign;
  const wrong: string[] = [];
  const entries = [...ended];
  for (const [index, [one, run]] of entries.entries()) {
    const token = tokenOf(campaign.service, one.name);
    if (token === undefined) continue;
    const node = Math.floor(random() * service.count);
    const status = (['failed', 'success', 'progress'] as const)[index % 3] ?? 'failed';
    const again = await sendReport(campaign, one, status, node);
    if (again !== 409) wrong.push(`${one.name}: its URL took ${status} again: ${again}`);
    // The id of another run with the code of this one, and the other way round.
    const [next] = entries[(index + 1) % entries.length] ?? [one];
    const other = tokenOf(campaign.service, next.name);
    // Few: who tries unknown URLs has to wait.
    if (other !== undefined && other !== token && index < mostMixed) {
      const mixed = mixOf(other, token);
      const answer = await service.post(`/report/${mixed}`, { status: 'success' }, node);
      if (answer !== 404) wrong.push(`a URL of two runs was answered ${answer}`);
    }
    const now = await read(campaign, one);
    if (JSON.stringify(now) !== JSON.stringify(run)) wrong.push(`${one.name} ended twice`);
  }
  return wrong;
}

/** The alerts that were cut off and have not come again. */
function unheard({ service, cutAlerts }: Campaign): string[] {
  const named = service.receiver.received.map(({ body }) => JSON.parse(body).data.job.name);
  return [...cutAlerts]
    .filter((name) => named.filter((came) => came === name).length < 2)
    .map((name) => `${name}: an alert that was cut off came no second time`);
}

/** The first 16 bytes of a token are the id of its run. */
function mixOf(idOf: string, codeOf: string): string {
  const [id, code] = [idOf, codeOf].map((token) => Buffer.from(token, 'base64url'));
  return Buffer.concat([id!.subarray(0, 16), code!.subarray(16)]).toString('base64url');
}

function tell(t: TestContext, { all, cutAlerts, service }: Campaign, ended: Ended): void {
  for (const point of points) {
    const these = all.filter((one) => one.point === point);
    const states = Object.entries(Object.groupBy(these, (one) => ended.get(one)?.status ?? 'none'));
    const lost = these.flatMap(({ sent }) => sent).filter(({ answer }: Sent) => answer === null);
    const ends = new Set(these.map((one) => ended.get(one)?.report?.message));
    const counted = lost.filter(({ message }) => ends.has(message)).length;
    const killed = these.filter(({ isCallerKilled }) => isCallerKilled).length;
    const words = states.map(([status, { length }]) => `${length} ${status}`).join(', ');
    t.diagnostic(
      `${point}: ${words}; callers killed ${killed}; ${lost.length} reports without answer, of which ${counted} count`,
    );
  }
  const { length: alerts } = service.receiver.received;
  t.diagnostic(`${all.length} runs, ${cutAlerts.size} alerts cut off, ${alerts} came`);
}
