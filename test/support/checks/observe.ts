/** Lets a jobd come to rest and reads all that its API says about it. */

import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Job } from '../../../src/api/jobs/contract.ts';
import { mostActedJobs } from '../../../src/domain/jobs/actions.ts';
import type { RunDocument, RunTotals } from '../../../src/domain/runs/run.ts';
import type { Answer } from '../running/daemon.ts';
import type { Received, Sink } from '../fakes/sink.ts';
import type { Witness } from '../fakes/witness.ts';
import { until } from '../until.ts';
import type { Heard } from './alert-truth.ts';
import { auditAlerts, isAnswered, type Observed } from './observed.ts';

type Ask = (method: string, path: string, body?: object) => Promise<Answer>;
/** Reads a path of the API. */
type Read = (path: string) => Promise<Answer['body']>;

/** Most requests at a time. */
const readers = 8;
/** A receiver that gave no answer some times, as on a slow machine, is left alone for two minutes, and then gets one by one. */
const longestBackOffMs = 300_000;
/** How often a request is sent again that was one too many for its key. */
const mostWaits = 10;

/** Pauses all jobs and waits until nothing is under way any more. `receiver` gets the alerts of all jobs. */
export async function observe(
  ask: Ask,
  {
    edited,
    witness,
    receiver,
  }: {
    edited: ReadonlySet<string>;
    witness: Pick<Witness, 'arrivals'>;
    receiver: Pick<Sink, 'received'>;
  },
): Promise<Observed> {
  const read: Read = (path) => answered(ask, 'GET', path);
  const listedAt = Date.now();
  const jobs = await pages<Job>(read, '/jobs', 'jobs');
  const jobIds = jobs.map(({ id }) => id);
  for (let from = 0; from < jobIds.length; from += mostActedJobs) {
    const ids = jobIds.slice(from, from + mostActedJobs);
    const { results } = await answered(ask, 'POST', '/jobs/actions', { action: 'pause', ids });
    assert.deepEqual(
      results,
      ids.map((id) => ({ id, error: null, isOver: false })),
    );
  }
  // A node that was killed a moment ago still has a lease, and nobody ends its runs before it has run out.
  const open = () => pages(read, '/runs?status=queued,running', 'runs');
  await waitFor('an end of all runs', async () => (await open()).length === 0, 60_000);
  const totals = new Map<string, RunTotals>();
  const histories = await eachOf(jobIds, async (id) => {
    totals.set(id, (await read(`/jobs/${id}/runs?limit=1`)).totals);
    return await pages<RunDocument>(read, `/jobs/${id}/runs`, 'runs');
  });
  const runs = histories.flat();
  const receipts = await eachOf(runs.filter(isAnswered), async ({ jobId, id }) => {
    const receipt = await read(`/jobs/${jobId}/runs/${id}/receipt`);
    return [id, asFile(receipt)] as const;
  });
  const keys = asFile(await read('/receipts/keys'));
  const alerts = () => receiver.received.map(heard);
  const areAlerted = () => auditAlerts({ runs, alerts: alerts() }).length === 0;
  await untilReceived('all alerts', areAlerted);
  return {
    jobs,
    listedAt,
    edited,
    runs,
    totals,
    receipts: new Map(receipts),
    keys,
    arrivals: witness.arrivals,
    alerts: alerts(),
  };
}

/** Waits for what a receiver is to get, also if it was left alone for a while. */
export async function untilReceived(what: string, isThere: () => boolean): Promise<void> {
  await waitFor(what, isThere, longestBackOffMs);
}

/** Waits for a fact; if it does not come, what is missing is for the audit to say. */
async function waitFor(
  what: string,
  fact: () => boolean | Promise<boolean>,
  longestMs: number,
): Promise<void> {
  await until(what, fact, longestMs).catch(() => {});
}

function heard({ headers, body }: Received): Heard {
  const { type, data } = JSON.parse(body) as {
    type: Heard['type'];
    data: { job: { id: string }; run: { id: string } };
  };
  const webhookId = String(headers['webhook-id']);
  return { type, jobId: data.job.id, runId: data.run.id, webhookId, isAcknowledged: true };
}

/** The items of all pages of a list. */
async function pages<Item>(read: Read, path: string, name: string): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const { searchParams, pathname } = new URL(path, 'http://api');
    searchParams.set('limit', '100');
    if (cursor !== null) searchParams.set('cursor', cursor);
    const page = await read(`${pathname}?${searchParams.toString()}`);
    items.push(...(page[name] as Item[]));
    cursor = page.nextCursor as string | null;
  } while (cursor !== null);
  return items;
}

function asFile(document: unknown): Uint8Array {
  return Buffer.from(JSON.stringify(document));
}

/** Asks until the key may ask. Throws unless the answer is a 2xx. */
async function answered(ask: Ask, ...request: Parameters<Ask>): Promise<Answer['body']> {
  for (let waits = 0; ; waits += 1) {
    const { status, headers, body } = await ask(...request);
    if (status >= 200 && status < 300) return body;
    const words = `${JSON.stringify(request)}: ${status} ${JSON.stringify(body)}`;
    if (status !== 429 || waits === mostWaits) throw new Error(words);
    await setTimeout(Number(headers.get('retry-after')) * 1_000);
  }
}

/** Asks for each item, some at a time. Returns the results in their order. */
async function eachOf<Item, R>(items: readonly Item[], ask: (item: Item) => Promise<R>) {
  const results: R[] = [];
  const left = items.entries();
  const readOn = async (): Promise<void> => {
    for (const [index, item] of left) results[index] = await ask(item);
  };
  await Promise.all(Array.from({ length: readers }, readOn));
  return results;
}
