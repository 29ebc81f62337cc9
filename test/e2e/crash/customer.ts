/** A customer who calls the API until it is gone, and remembers every acknowledged promise. */

import { randomUUID } from 'node:crypto';
import type { Books } from '../../support/checks/audit.ts';
import { bearer, send } from '../../support/running/send.ts';

/** A request, and whether it was answered with a 2xx. */
export interface Promises {
  /** Jobs by id. */
  jobs: Map<string, PromisedJob>;
  /** Runs by hand, by idempotency key. */
  runs: Map<string, PromisedRun>;
  /** Jobs that are called once, by the keys of their calls; null if no answer came. */
  calls: Map<string, string | null>;
  /** Called when a run by hand is acknowledged. */
  onRun: (() => void) | null;
  /** Unexpected answers. */
  oddities: string[];
}

interface PromisedJob {
  /** The note last acknowledged, and the note last sent. */
  notes: number;
  notesAsked: number;
  deletion: 'none' | 'asked' | 'done';
}

interface PromisedRun {
  jobId: string;
  /** Null if no answer came. */
  runId: string | null;
}

/** An empty record of promises. */
export function noPromises(): Promises {
  return { jobs: new Map(), runs: new Map(), calls: new Map(), onRun: null, oddities: [] };
}

/** How many runs by hand were acknowledged. */
export function runsPromised({ runs }: Promises): number {
  return [...runs.values()].filter(({ runId }) => runId !== null).length;
}

interface Reply {
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read it as a client would
  body: any;
}

export interface Customer {
  url: string;
  apiKey: string;
  /** The target of the jobs. */
  targetUrl: string;
  random: () => number;
  /** An allowed status that promises nothing. */
  mayAnswer: number | undefined;
}

/** Sends requests until no answer comes any more, or `enough` returns true. */
export async function askUntilGone(
  customer: Customer,
  promises: Promises,
  enough: () => boolean,
): Promise<void> {
  // A key may send 120 requests a minute.
  for (let asked = 0; asked < 100 && !enough(); asked += 6) {
    if (!(await askRound(customer, promises))) return;
  }
}

/**
 * Creates a job and runs it, changes one, deletes one, repeats an old run request. False if
 * unanswered.
 */
async function askRound(customer: Customer, promises: Promises): Promise<boolean> {
  const pick = <T>(from: T[]): T | undefined => from[Math.floor(customer.random() * from.length)];
  const name = `asked-${randomUUID().slice(0, 8)}`;
  const never = '0 0 29 2 *';
  const url = `${customer.targetUrl}/${pick(['quick', 'slow', 'fail'])}/${name}`;
  const made = await ask(customer, 'POST', '/jobs', {
    body: { name, url, cronExpr: never, notes: '0' },
  });
  if (!expect(customer, promises, made, 'create', 201)) return false;
  const jobId: string = made.body.job.id;
  promises.jobs.set(jobId, { notes: 0, notesAsked: 0, deletion: 'none' });
  if (!(await runByHand(customer, promises, { jobId, key: randomUUID() }))) return false;

  const [changedId, changed] =
    pick([...promises.jobs].filter(([, job]) => job.deletion === 'none')) ?? [];
  if (changed !== undefined) {
    const notes = (changed.notesAsked += 1);
    const body = { notes: String(notes) };
    const patched = await ask(customer, 'PATCH', `/jobs/${changedId}`, { body });
    if (!expect(customer, promises, patched, 'update', 200, 409)) return false;
    if (patched.status === 200) changed.notes = notes;
  }
  const again = pick([...promises.runs]);
  if (again !== undefined) {
    const [key, { jobId: ofJob }] = again;
    if (!(await runByHand(customer, promises, { jobId: ofJob, key }))) return false;
  }
  if (!(await makeCalls(customer, promises))) return false;
  return await makeAndDelete(customer, promises);
}

/** Makes a call, and an earlier one again: its key must get the same answer. */
async function makeCalls(customer: Customer, promises: Promises): Promise<boolean> {
  const { targetUrl, random } = customer;
  const earlier = [...promises.calls.keys()];
  const again = earlier[Math.floor(random() * earlier.length)];
  const keys = [`call-${randomUUID().slice(0, 8)}`, ...(again === undefined ? [] : [again])];
  const calls = keys.map((key) => ({ key, url: `${targetUrl}/quick/${key}`, inSeconds: 1 }));
  for (const key of keys) promises.calls.set(key, promises.calls.get(key) ?? null);
  const reply = await ask(customer, 'POST', '/calls', { body: { calls } });
  if (!expect(customer, promises, reply, 'calls', 200)) return false;
  for (const { key, id, error } of reply.body.results) {
    const known = promises.calls.get(key) ?? id;
    if (id === null || id !== known)
      promises.oddities.push(`call ${key}: ${known}, ${id} ${error}`);
    promises.calls.set(key, known);
  }
  return true;
}

/** Requests a run; a repeated Idempotency-Key must get the same answer. */
async function runByHand(
  customer: Customer,
  promises: Promises,
  { jobId, key }: { jobId: string; key: string },
): Promise<boolean> {
  const known = promises.runs.get(key) ?? { jobId, runId: null };
  promises.runs.set(key, known);
  const reply = await ask(customer, 'POST', `/jobs/${jobId}/run`, { key });
  if (!expect(customer, promises, reply, 'run', 202)) return false;
  const runId: string = reply.body.run.id;
  if (known.runId !== null && known.runId !== runId) {
    promises.oddities.push(`key ${key} was answered with ${known.runId}, then with ${runId}`);
  }
  known.runId = runId;
  promises.onRun?.();
  return true;
}

async function makeAndDelete(customer: Customer, promises: Promises): Promise<boolean> {
  const body = { name: 'deleted', url: `${customer.targetUrl}/quick/deleted`, paused: true };
  const made = await ask(customer, 'POST', '/jobs', { body });
  if (!expect(customer, promises, made, 'create', 201)) return false;
  const job: PromisedJob = { notes: 0, notesAsked: 0, deletion: 'asked' };
  promises.jobs.set(made.body.job.id, job);
  const deleted = await ask(customer, 'DELETE', `/jobs/${made.body.job.id}`);
  if (!expect(customer, promises, deleted, 'delete', 200)) return false;
  job.deletion = 'done';
  return true;
}

/** Whether an answer came; an unexpected one is recorded. */
function expect(
  { mayAnswer }: Customer,
  promises: Promises,
  reply: Reply | null,
  what: string,
  ...statuses: number[]
): reply is Reply {
  if (reply === null) return false;
  if (statuses.includes(reply.status)) return true;
  if (reply.status === mayAnswer) return false;
  promises.oddities.push(`${what} was answered ${reply.status} ${JSON.stringify(reply.body)}`);
  return false;
}

/** Null if no complete answer came. */
async function ask(
  { url, apiKey }: Customer,
  method: string,
  path: string,
  { body, key }: { body?: object; key?: string } = {},
): Promise<Reply | null> {
  try {
    const headers = { ...bearer(apiKey), ...(key !== undefined && { 'idempotency-key': key }) };
    const response = await send(`${url}/api/v1${path}`, method, body, headers);
    return { status: response.status, body: JSON.parse(await response.text()) as unknown };
  } catch {
    return null;
  }
}

/** Every broken promise, as sentences. */
export function brokenPromises({ jobs, runs, calls, oddities }: Promises, books: Books): string[] {
  const jobOf = new Map(books.jobs.map((job) => [job.id, job]));
  const runOf = new Map(books.runs.map((run) => [run.id, run]));
  const wrong = [...oddities];
  for (const [id, { notes, notesAsked, deletion }] of jobs) {
    const job = jobOf.get(id);
    const isThere = job !== undefined && job.deleted_at === null;
    if (deletion === 'none' && !isThere) wrong.push(`job ${id} was acknowledged and is gone`);
    if (deletion === 'done' && isThere) wrong.push(`job ${id} was deleted and is there`);
    const kept = Number(job?.notes || notes);
    if (kept < notes || kept > notesAsked) {
      wrong.push(`notes of job ${id} are ${kept}, acknowledged ${notes}, asked ${notesAsked}`);
    }
  }
  for (const [key, id] of calls) {
    const made = books.jobs.filter(({ name }) => name === key);
    const isKept = id === null ? made.length <= 1 : made.length === 1 && made[0]?.id === id;
    if (!isKept) wrong.push(`call ${key} is ${made.map((job) => job.id).join()}, not ${id}`);
  }
  for (const [key, { jobId, runId }] of runs) {
    if (runId === null) continue;
    const run = runOf.get(runId);
    const isKept = run?.job_id === jobId && run.source === 'manual' && run.idempotency_key === key;
    if (!isKept) wrong.push(`run ${runId} was acknowledged and is gone`);
  }
  return wrong;
}
