/**
 * The way out in a thread of its own: its entry. `threaded.ts` is the other side, and says what goes between them.
 * Answers that are there in one turn of the event loop go back as one message.
 */

import { parentPort, workerData } from 'node:worker_threads';
import { keepTickShape } from '../ticks.ts';
import { createEgress } from './egress.ts';
import type { EgressOptions } from './egress.ts';
import type { Answer, NumberedCall, Said, Told } from './threaded.ts';

keepTickShape();
const egress = createEgress(workerData as EgressOptions);
const signals = new Map<number, AbortController>();
let answered: Answer[] = [];

parentPort?.on('message', (told: Told) => {
  if (told.kind === 'call') for (const call of told.calls) void make(call);
  else if (told.kind === 'abort') controllerOf(told.signal).abort(new Error('aborted'));
  else void close();
});

async function make({ number, call, signal }: NumberedCall): Promise<void> {
  const aborted = signal === null ? undefined : controllerOf(signal).signal;
  try {
    answer({ number, result: await egress.call(call, aborted) });
  } catch (error) {
    answer({ number, error });
  }
}

function controllerOf(signal: number): AbortController {
  const known = signals.get(signal);
  if (known !== undefined) return known;
  const controller = new AbortController();
  signals.set(signal, controller);
  return controller;
}

function answer(one: Answer): void {
  if (answered.length === 0) setImmediate(flush);
  answered.push(one);
}

function flush(): void {
  say({ kind: 'answered', answers: answered });
  answered = [];
}

async function close(): Promise<void> {
  await egress[Symbol.asyncDispose]();
  // Behind the last answers: immediates run in their order.
  setImmediate(() => say({ kind: 'closed' }));
}

function say(said: Said): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort?.postMessage(said);
}
