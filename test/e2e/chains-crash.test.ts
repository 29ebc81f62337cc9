/**
 * Processes are killed around the end of runs that others follow and whose results are posted: each end that meets a
 * condition starts exactly one run of the next job, and each run that is over is posted at least once, under one id, as it is
 * in the end. One process has its data in a file and starts again; three nodes share a server, and one of them is killed. All
 * of that is judged from outside: by what targets and receivers got, and what the API says.
 *
 *   JOBD_CRASH_ROUNDS=50   deaths (2 of the one, 1 of three)
 */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import type { RunDocument } from '../../src/domain/runs/run.ts';
import { startPostgres, type PostgresServer } from '../support/postgres/server.ts';
import { untilReceived } from '../support/checks/observe.ts';
import { repeatedBy, rollDice } from '../support/dice.ts';
import { webhookSecret } from '../support/records/channel.ts';
import { notPackaged } from '../support/running/executable.ts';
import { linkNames, links, points, round, startChains } from './crash/chains.ts';
import type { Campaign, Chain, Link } from './crash/chains.ts';
import { roundsOr } from './crash/service.ts';
import { skip } from './postgres/service.ts';

// Of three nodes, two mostly wait for the lease of the third.
describe('chains and results survive kill -9', { concurrency: 2 }, () => {
  test('of the one process', { skip: notPackaged }, async (t) => {
    await runCampaign(t, null, roundsOr(2));
  });

  test('of one of three nodes', { skip }, async (t) => {
    await using server = await startPostgres();
    await runCampaign(t, server, roundsOr(1));
  });
});

async function runCampaign(
  t: TestContext,
  server: PostgresServer | null,
  rounds: number,
): Promise<void> {
  const campaign = await startChains(t, server, rollDice(t));
  const { service } = campaign;
  for (let done = 0; done < rounds; done += 1) await round(campaign);
  await service.untilOver();
  const runs = await runsOf(campaign);
  await untilReceived('all results', () => missing(campaign, runs).length === 0);
  const wrong = [
    ...campaign.all.flatMap((chain) => judge(chain, runs)),
    ...missing(campaign, runs),
    ...judgeResults(campaign, runs),
    ...(await service.settle()),
  ];
  tell(t, campaign, runs);
  assert.deepEqual(wrong, [], repeatedBy);
}

/** The runs of each job. */
type Runs = ReadonlyMap<string, readonly RunDocument[]>;

async function runsOf({ service, all }: Campaign): Promise<Runs> {
  const runs = new Map<string, RunDocument[]>();
  for (const jobId of all.flatMap(({ jobIds }) => Object.values(jobIds))) {
    runs.set(jobId, (await service.ask('GET', `/jobs/${jobId}/runs`)).body.runs);
  }
  return runs;
}

/** What is wrong with a chain: runs that nothing started, or that are missing. */
function judge({ point, name, jobIds, runId, isCallerKilled }: Chain, runs: Runs): string[] {
  const of = (link: Link) => runs.get(jobIds[link]) ?? [];
  const wrong: string[] = [];
  const [first, ...more] = of('first');
  if (first?.id !== runId || more.length > 0)
    wrong.push(`${name}: the first run is lost or doubled`);
  if (first?.status === 'interrupted') {
    const inCall = ['held', 'ending', 'failing'].includes(point);
    if (!inCall || !isCallerKilled) wrong.push(`${name}: interrupted, though its caller lived`);
  }
  for (const link of linkNames) {
    const { after, on } = links[link] ?? {};
    if (after === undefined) continue;
    const causes = of(after).filter(({ status }) => on === 'finished' || status === on);
    const started = of(link).map(({ causedBy }) => `${causedBy?.jobId} ${causedBy?.runId}`);
    const wanted = causes.map(({ id }) => `${jobIds[after]} ${id}`);
    if (started.toSorted().join() !== wanted.toSorted().join()) {
      wrong.push(
        `${name}-${link}: started by ${started.join()}, but should be by ${wanted.join()}`,
      );
    }
  }
  return wrong;
}

interface Posted {
  type: string;
  data: { job: { id: string; name: string }; run: RunDocument };
}

function resultsIn({ service }: Campaign) {
  return service.receiver.received
    .filter(({ path }) => path === '/results')
    .map(({ headers, body }) => ({
      id: String(headers['webhook-id']),
      headers: headers as Record<string, string>,
      body,
      posted: JSON.parse(body) as Posted,
    }));
}

/** The runs that are over and whose result did not come, or came only when it could not be acknowledged. */
function missing(campaign: Campaign, runs: Runs): string[] {
  const came = Map.groupBy(resultsIn(campaign), ({ posted }) => posted.data.run.id);
  return [...runs.values()].flat().flatMap(({ id }) => {
    const [first, ...more] = came.get(id) ?? [];
    if (first === undefined) return [`the result of run ${id} is missing`];
    const isCut = campaign.cut.has(first.posted.data.job.name);
    return isCut && more.length === 0 ? [`the result of run ${id} came once, and was cut off`] : [];
  });
}

/** What is wrong with results: each says what the run is in the end, is signed, and has one id. */
function judgeResults(campaign: Campaign, runs: Runs): string[] {
  const wrong: string[] = [];
  const results = resultsIn(campaign);
  const known = new Map([...runs.values()].flat().map((run) => [run.id, run]));
  const webhook = new Webhook(webhookSecret);
  for (const { id, headers, body, posted } of results) {
    const { type, data } = posted;
    const run = known.get(data.run.id);
    if (type !== 'run.finished') wrong.push(`${id} is ${type}`);
    if (run === undefined) wrong.push(`${id} is of no run`);
    else if (!isDeepStrictEqual(run, data.run)) {
      wrong.push(`${id} says ${JSON.stringify(data.run)}, but the run is ${JSON.stringify(run)}`);
    }
    try {
      webhook.verify(body, headers);
    } catch (error) {
      // The package takes what was signed within five minutes.
      if (!/timestamp/i.test(String(error))) wrong.push(`${id}: ${String(error)}`);
    }
  }
  for (const [runId, these] of Map.groupBy(results, ({ posted }) => posted.data.run.id)) {
    if (new Set(these.map(({ id }) => id)).size > 1) wrong.push(`run ${runId} came under two ids`);
    if (new Set(these.map(({ body }) => body)).size > 1)
      wrong.push(`run ${runId} came in two forms`);
  }
  for (const [id, these] of Map.groupBy(results, (one) => one.id)) {
    if (new Set(these.map(({ posted }) => posted.data.run.id)).size > 1)
      wrong.push(`${id}: two runs`);
  }
  return wrong;
}

function statusesOf(these: readonly (RunDocument | undefined)[]): string {
  return Object.entries(Object.groupBy(these, (run) => run?.status ?? 'none'))
    .map(([status, list]) => `${list.length} ${status}`)
    .join(', ');
}

function tell(t: TestContext, campaign: Campaign, runs: Runs): void {
  for (const point of points) {
    const these = campaign.all.filter((chain) => chain.point === point);
    const firsts = these.map(({ jobIds }) => runs.get(jobIds.first)?.[0]);
    const rest = these.flatMap(({ jobIds }) =>
      Object.values(jobIds)
        .filter((id) => id !== jobIds.first)
        .flatMap((id) => runs.get(id) ?? []),
    );
    t.diagnostic(`${point}: first ${statusesOf(firsts)}; followers ${statusesOf(rest)}`);
  }
  const results = resultsIn(campaign).length;
  const all = [...runs.values()].flat().length;
  t.diagnostic(`${all} runs, ${results} results came, ${campaign.cut.size} cut off`);
}
