/** The yardstick for calls, a process of its own: the calls of a storm made by `undici.request` and nothing else. */

import type { LookupFunction } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { Agent } from 'undici';
import { onMessage, sendToParent, wallOffset } from './child.ts';
import { originOf } from './target.ts';

/** `warm` calls at once, then `jobs` calls from each instant on. */
export interface BareTask {
  origin: string;
  hosts: number;
  jobs: number;
  warm: number;
  /** To one host, and the most calls in flight. */
  connections: number;
}

/** `doneAt` is when the last answer had been read. Instants are in epoch milliseconds. */
export type BareSent = { kind: 'ready' } | { kind: 'done'; doneAt: number };
export type BareReceived = { kind: 'warm up'; task: BareTask } | { kind: 'go'; at: number };

let go: () => Promise<void>;
const send: (message: BareSent) => void = sendToParent;

onMessage((message) => void handle(message as BareReceived));

async function handle(message: BareReceived): Promise<void> {
  if (message.kind === 'warm up') {
    const { origin, hosts, jobs, warm, connections } = message.task;
    const agent = new Agent({ connections, pipelining: 1, connect: { lookup } });
    await callAll((number) => callOne(agent, origin, `/warm/${number}`), warm, connections);
    const callJob = (number: number) =>
      callOne(agent, originOf(origin, hosts, number), `/job/${number}`);
    go = () => callAll(callJob, jobs, connections);
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

async function callOne(agent: Agent, origin: string, path: string): Promise<string> {
  const { body } = await agent.request({ origin, path, method: 'GET', headers });
  return await body.text();
}
