/**
 * The client of the API, a process of its own: it asks by undici's `dispatch` on kept connections, one request at a time on
 * each. It uses its keys in turn, as the number of requests per key and minute is limited.
 */

import { setTimeout } from 'node:timers/promises';
import { Pool, type Dispatcher } from 'undici';
import { onMessage, sendToParent, wallOffset } from './child.ts';

export type Operation = 'getJob' | 'listJobs' | 'createJob' | 'ping';

/** `begin` comes once, before any `ask`. */
export type ClientReceived =
  | ({ kind: 'begin'; origin: string; connections: number } & Known)
  | { kind: 'ask'; task: Task };

/** What the client may ask with and for. */
export interface Known {
  keys: string[];
  jobIds: string[];
  /** The ids in ping URLs. */
  pingIds: string[];
}

export interface Task {
  operation: Operation;
  count: number;
  /** A constant number in flight, or one request each `everyMs`, however many are in flight. */
  pace: { inFlight: number } | { everyMs: number };
}

export type ClientSent = { kind: 'ready' } | { kind: 'answered'; answers: Answers };

/** Each request is one element of both arrays. */
export interface Answers {
  /** Epoch milliseconds and their fractions. */
  sentAt: Float64Array;
  /** From the call of `dispatch` to the end of the answer. */
  latencyMs: Float64Array;
  /** From the first request to the last answer. */
  seconds: number;
  /** CPU time of this process, in that time. */
  cpuSeconds: number;
  /** Requests without an answer, or with an unexpected status. */
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
/** So that consecutive requests are not for neighbouring rows. */
const stride = 7_919;

let pool: Pool;
let authorizations: string[];
let known: Known;
let asked = 0;

const send: (message: ClientSent) => void = sendToParent;

onMessage((received) => {
  const message = received as ClientReceived;
  if (message.kind === 'begin') {
    pool = new Pool(message.origin, { connections: message.connections, pipelining: 1 });
    authorizations = message.keys.map((key) => `Bearer ${key}`);
    known = message;
    send({ kind: 'ready' });
  } else {
    void work(message.task).then((answers) => send({ kind: 'answered', answers }));
  }
});

function nextRequest(operation: Operation): Dispatcher.DispatchOptions {
  asked += 1;
  const ids = operation === 'ping' ? known.pingIds : known.jobIds;
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
