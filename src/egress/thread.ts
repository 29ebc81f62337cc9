/**
 * The thread side of egress: makes the calls that `threads.ts` sends. Calls begin and answers return in small batches, so
 * that both threads have work at the same time. Otherwise no answer would be read while 512 connections are opened, and
 * the store would wait while 512 answers are read.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { keepTickShape } from '../base/ticks.ts';
import { packAnswer, unpackCall, type SentAnswer, type SentCall } from './crossing.ts';
import { createEgress, type EgressOptions } from './egress.ts';
import type { FromThread, ToThread } from './threads.ts';

/** Most items that one turn of the event loop begins, and that one message holds. */
export const batchSize = 16;

/** Begins items in the order in which they came, a batch in each turn of the event loop. */
export interface Intake<Item> {
  add(items: readonly Item[]): void;
  /** Begins all remaining items at once. */
  finish(): void;
}

/** Creates an intake; `begin` must not throw. */
export function createIntake<Item>(begin: (item: Item) => void): Intake<Item> {
  const waiting: Item[] = [];
  /** Whether this turn has had its batch. */
  let isTurnOver = false;

  function beginBatch(): void {
    isTurnOver = true;
    setImmediate(startTurn);
    for (const item of waiting.splice(0, batchSize)) begin(item);
  }

  function startTurn(): void {
    isTurnOver = false;
    if (waiting.length > 0) beginBatch();
  }

  return {
    add(items) {
      for (const item of items) waiting.push(item);
      if (!isTurnOver) beginBatch();
    },
    finish() {
      for (const item of waiting.splice(0)) begin(item);
    },
  };
}

/** Returns a function that collects items and sends them when a batch is full or the turn of the event loop ends. */
export function createBatching<Item>(send: (items: Item[]) => void): (item: Item) => void {
  let batch: Item[] = [];

  function flush(): void {
    if (batch.length === 0) return;
    const items = batch;
    batch = [];
    send(items);
  }

  return (item) => {
    if (batch.length === 0) setImmediate(flush);
    batch.push(item);
    if (batch.length >= batchSize) flush();
  };
}

/** Makes the calls that arrive on this port until a message closes it. */
function serve(port: MessagePort, options: EgressOptions): void {
  keepTickShape();
  const egress = createEgress(options);
  const aborters = new Map<number, AbortController>();
  const calls = createIntake(make);
  const answer = createBatching<SentAnswer>((answers) => send({ kind: 'answered', answers }));

  function make(call: SentCall): void {
    const { 0: number, 1: signal } = call;
    const aborted = signal === null ? undefined : aborterOf(signal).signal;
    egress.call(unpackCall(call), aborted).then(
      (result) => answer(packAnswer(number, result)),
      (error: unknown) => send({ kind: 'failed', number, error }),
    );
  }

  function aborterOf(signal: number): AbortController {
    const aborter = aborters.get(signal) ?? new AbortController();
    aborters.set(signal, aborter);
    return aborter;
  }

  async function close(): Promise<void> {
    calls.finish();
    await egress[Symbol.asyncDispose]();
    // After the last answers: immediates run in order.
    setImmediate(() => send({ kind: 'closed' }));
  }

  function send(message: FromThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    port.postMessage(message);
  }

  port.on('message', (message: ToThread) => {
    if (message.kind === 'call') calls.add(message.calls);
    else if (message.kind === 'keys') egress.useCallKeys(message.keys);
    else if (message.kind === 'abort') aborterOf(message.signal).abort(new Error('aborted'));
    else void close();
  });
}

if (parentPort !== null) serve(parentPort, workerData as EgressOptions);
