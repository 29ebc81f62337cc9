/**
 * The client of bench/api and bench/ping, a process of its own: asks by undici's `dispatch` on kept connections, one
 * request at a time on each. Every key is used in turn, so that none is used more often than a key may be.
 */

import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Dispatcher } from 'undici';
import { listenToParent, sayToParent } from './child.ts';
import { wallOffset } from './wall-clock.ts';

export type Operation = 'getJob' | 'listJobs' | 'createJob' | 'ping';

/** `begin` comes once, before any `ask`; the ids are of jobs, or of the URLs that are pinged. */
export type ClientTold =
  | { kind: 'begin'; origin: string; keys: string[]; ids: string[]; connections: number }
  | { kind: 'ask'; task: Task };

export interface Task {
  operation: Operation;
  count: number;
  /** So many are always in flight; or one is sent each so many milliseconds, whatever is in flight. */
  pace: { inFlight: number } | { everyMs: number };
}

export type ClientSaid = { kind: 'ready' } | { kind: 'answered'; answers: Answers };

/** What came of a task; each request is an element of both arrays. */
export interface Answers {
  /** Epoch milliseconds and their fractions. */
  sentAt: Float64Array;
  /** From the call of `dispatch` to the end of the answer. */
  latencyMs: Float64Array;
  /** From the first request to the last answer. */
  seconds: number;
  /** Of this process, in that time. */
  cpuSeconds: number;
  /** Answers with another status than the one of success, and requests without an answer. */
  failed: number;
  firstFailure: string | null;
}

const newJob = JSON.stringify({
  name: 'created by the bench',
  url: 'http://127.0.0.1:9/task',
  cronExpr: '0 9 * * 1-5',
  timezone: 'Europe/Paris',
});
const jsonType = 'application/json';
/** Neighbours in time are no neighbours in the store. */
const stride = 7_919;

let pool: Pool;
let authorizations: string[];
let ids: string[];
let asked = 0;

const say: (message: ClientSaid) => void = sayToParent;

listenToParent((told) => {
  const message = told as ClientTold;
  if (message.kind === 'begin') {
    pool = new Pool(message.origin, { connections: message.connections, pipelining: 1 });
    authorizations = message.keys.map((key) => `Bearer ${key}`);
    ids = message.ids;
    say({ kind: 'ready' });
  } else {
    void work(message.task).then((answers) => say({ kind: 'answered', answers }));
  }
});

function nextRequest(operation: Operation): Dispatcher.DispatchOptions {
  asked += 1;
  const id = ids[(asked * stride) % ids.length];
  if (operation === 'ping') return { method: 'POST', path: `/ping/${id}/0` };
  const authorization = authorizations[asked % authorizations.length] ?? '';
  if (operation === 'createJob') {
    const headers = { authorization, 'content-type': jsonType };
    return { method: 'POST', path: '/api/v1/jobs', headers, body: newJob };
  }
  const path = operation === 'getJob' ? `/api/v1/jobs/${id}` : '/api/v1/jobs';
  return { method: 'GET', path, headers: { authorization } };
}

async function work({ operation, count, pace }: Task): Promise<Answers> {
  const offset = wallOffset();
  const sentAt = new Float64Array(count);
  const latencyMs = new Float64Array(count);
  const expected = operation === 'createJob' ? 201 : 200;
  let sent = 0;
  let failed = 0;
  let firstFailure: string | null = null;
  const askOne = async (index: number): Promise<void> => {
    const began = performance.now();
    const outcome = await ask(nextRequest(operation));
    latencyMs[index] = performance.now() - began;
    sentAt[index] = offset + began;
    if (outcome === expected) return;
    failed += 1;
    firstFailure ??= `${operation} got ${outcome}`;
  };

  const began = performance.now();
  const cpuBefore = process.cpuUsage();
  if ('inFlight' in pace) {
    const loop = async (): Promise<void> => {
      while (sent < count) {
        sent += 1;
        await askOne(sent - 1);
      }
    };
    await Promise.all(Array.from({ length: pace.inFlight }, loop));
  } else {
    const open: Promise<void>[] = [];
    while (sent < count) {
      const due = Math.min(count, Math.floor((performance.now() - began) / pace.everyMs) + 1);
      for (; sent < due; sent += 1) open.push(askOne(sent));
      await setTimeout(1);
    }
    await Promise.all(open);
  }
  const seconds = (performance.now() - began) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { sentAt, latencyMs, seconds, cpuSeconds: (user + system) / 1e6, failed, firstFailure };
}

/** The status, or the message of an error. */
function ask(request: Dispatcher.DispatchOptions): Promise<number | string> {
  return new Promise((resolve) => {
    let status = 0;
    pool.dispatch(request, {
      onRequestStart() {},
      onResponseStart(_controller, statusCode) {
        status = statusCode;
      },
      onResponseData() {},
      onResponseEnd() {
        resolve(status);
      },
      onResponseError(_controller, error) {
        resolve(error.message);
      },
    });
  });
}
