/**
 * The yardstick for calls, a process of its own: the calls of a storm made by bare undici and nothing else, by `request`
 * as most programs use it or by `dispatch`, undici's fastest interface.
 */

import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { onMessage, sendToParent, wallOffset } from './child.ts';
import { originOf } from './target.ts';

export type BareKind = 'request' | 'dispatch';

/** `warm` calls at once, then `jobs` calls from an instant on. */
export interface BareTask {
  by: BareKind;
  origin: string;
  hosts: number;
  jobs: number;
  warm: number;
  concurrency: number;
}

/** `doneAt` is when the last answer had been read. Instants are in epoch milliseconds. */
export type BareSent = { kind: 'ready' } | { kind: 'done'; doneAt: number };
export type BareReceived = { kind: 'warm up'; task: BareTask } | { kind: 'go'; at: number };

type CallOne = (origin: string, path: string) => Promise<unknown>;

let go: () => Promise<void>;
const send: (message: BareSent) => void = sendToParent;

onMessage((message) => void handle(message as BareReceived));

async function handle(message: BareReceived): Promise<void> {
  if (message.kind === 'warm up') {
    const { by, origin, hosts, jobs, warm, concurrency } = message.task;
    const agent = new Agent({ connections: concurrency, pipelining: 1, connect: { lookup } });
    const callOne = by === 'request' ? byRequest(agent) : byDispatch(agent);
    await callAll((number) => callOne(origin, `/warm/${number}`), warm, concurrency);
    const callJob = (number: number) => callOne(originOf(origin, hosts, number), `/job/${number}`);
    go = () => callAll(callJob, jobs, concurrency);
    send({ kind: 'ready' });
  } else {
    const offset = wallOffset();
    await setTimeout(message.at - Date.now());
    await go();
    send({ kind: 'done', doneAt: offset + performance.now() });
  }
}

/** Names below localhost are this machine, as they are for jobd (RFC 6761 section 6.3). */
const lookup: LookupFunction = (_host, { all }, done) => {
  const address = '127.0.0.1';
  const family = 4;
  if (all === true) done(null, [{ address, family }]);
  else done(null, address, family);
};

/** Runs one loop for each call that may be in flight. */
async function callAll(
  callNumber: (number: number) => Promise<unknown>,
  calls: number,
  concurrency: number,
): Promise<void> {
  let begun = 0;
  const loop = async (): Promise<void> => {
    while (begun < calls) {
      begun += 1;
      await callNumber(begun);
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, calls) }, loop));
}

const headers = {
  'user-agent': 'bare',
  'x-service-run-id': '00000000-0000-7000-8000-000000000000',
};

function byRequest(agent: Agent): CallOne {
  return async (origin, path) => {
    const { body } = await agent.request({ origin, path, method: 'GET', headers });
    return body.text();
  };
}

function byDispatch(agent: Agent): CallOne {
  return (origin, path) =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart() {},
        onResponseData(_controller, chunk) {
          chunks.push(chunk);
        },
        onResponseEnd() {
          resolve(Buffer.concat(chunks).toString());
        },
        onResponseError(_controller, error) {
          reject(error);
        },
      };
      agent.dispatch({ origin, path, method: 'GET', headers }, handler);
    });
}
