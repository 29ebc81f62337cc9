/**
 * The way out in a thread of its own: its entry. `threaded.ts` is the other side, and says what goes between them.
 * Calls are begun, and answers go back, a few at a time (`portions.ts`).
 */

import { parentPort, workerData } from 'node:worker_threads';
import { keepTickShape } from '../ticks.ts';
import { createEgress } from './egress.ts';
import type { EgressOptions } from './egress.ts';
import { createGathering, createIntake } from './portions.ts';
import type { Answer, NumberedCall, Said, Told } from './threaded.ts';

keepTickShape();
const egress = createEgress(workerData as EgressOptions);
const signals = new Map<number, AbortController>();
const calls = createIntake<NumberedCall>((call) => void make(call));
const answer = createGathering<Answer>((answers) => say({ kind: 'answered', answers }));

parentPort?.on('message', (told: Told) => {
  if (told.kind === 'call') calls.add(told.calls);
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

async function close(): Promise<void> {
  calls.finish();
  await egress[Symbol.asyncDispose]();
  // Behind the last answers: immediates run in their order.
  setImmediate(() => say({ kind: 'closed' }));
}

function say(said: Said): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort?.postMessage(said);
}
