/**
 * The way out in a thread of its own, so that calls go on while the store writes, and requests to the API while
 * handshakes are computed. Calls that begin together go over as one message; over there they are begun, and their
 * answers handed back, a few at a time (`portions.ts`). Nothing here decides anything: what is judged, dialled and read is so over there.
 */

import { Worker } from 'node:worker_threads';
import type { AttemptResult } from '../domain/runs/outcome.ts';
import { closed, type Call, type Egress, type EgressOptions } from './egress.ts';
import { localTrouble } from './local-trouble.ts';
import { threadCode, type ThreadCode } from './thread-code.ts';

/** A call with the number its answer carries, and that of its signal. */
export interface NumberedCall {
  number: number;
  call: Call;
  signal: number | null;
}

/** What the thread is told. */
export type Told =
  | { kind: 'call'; calls: NumberedCall[] }
  | { kind: 'abort'; signal: number }
  | { kind: 'close' };

/** How a call ended. An error is one of this side, never the target's. */
export type Answer = { number: number; result: AttemptResult } | { number: number; error: unknown };

/** What the thread says. */
export type Said = { kind: 'answered'; answers: Answer[] } | { kind: 'closed' };

/** What can cross to a thread. */
export type ThreadOptions = Omit<EgressOptions, 'resolve'>;

/** A thread that has not closed by then does not listen any more: it is ended. */
const longestCloseMs = 5_000;

/** Makes what starts threads, with the code that is there now: another jobd may stand in its place when one is needed. */
export function createThreadStarter(): (options: ThreadOptions) => Egress {
  const code = threadCode();
  return (options) => startEgressThread(options, code);
}

/**
 * Starts the thread. Should it ever end by itself, that is an error of this process, which nobody catches; one that could not
 * begin for want of files or memory is started again by the next call.
 */
export function startEgressThread(options: ThreadOptions, code = threadCode()): Egress {
  const pending = new Map<number, PromiseWithResolvers<AttemptResult>>();
  const signals = new WeakMap<AbortSignal, number>();
  let lastNumber = 0;
  let lastSignal = 0;
  let begun: NumberedCall[] = [];
  let closing: Promise<void> | undefined;
  let worker: Worker | null = startThread();

  function startThread(): Worker {
    const thread = startWorker(options, code);
    let hasBegun = true;
    thread.on('message', (said: Said) => {
      if (said.kind === 'answered') for (const answer of said.answers) settle(answer);
      // A look-up that nobody waits for may be left; it must not hold up the end.
      else void thread.terminate();
    });
    thread.on('error', (error) => {
      const trouble = localTrouble(error);
      if (trouble === null) throw error;
      hasBegun = false;
      worker = null;
      const result = { kind: 'local', trouble: trouble.message } as const;
      for (const number of pending.keys()) settle({ number, result });
    });
    thread.on('exit', (exitCode) => {
      if (!hasBegun) return;
      if (closing === undefined)
        throw new Error(`the thread of outgoing calls ended with ${exitCode}`);
      for (const waiting of pending.values()) waiting.reject(closed());
    });
    return thread;
  }

  function settle(answer: Answer): void {
    const waiting = pending.get(answer.number);
    pending.delete(answer.number);
    if ('result' in answer) waiting?.resolve(answer.result);
    else waiting?.reject(answer.error);
  }

  function begin(call: Call, signal: number | null): Promise<AttemptResult> {
    lastNumber += 1;
    const waiting = Promise.withResolvers<AttemptResult>();
    pending.set(lastNumber, waiting);
    worker ??= startThread();
    if (begun.length === 0) queueMicrotask(flush);
    begun.push({ number: lastNumber, call, signal });
    return waiting.promise;
  }

  function flush(): void {
    const calls = begun;
    begun = [];
    if (calls.length > 0) tell({ kind: 'call', calls });
  }

  /** One listener per signal, however many calls. */
  function numberOf(signal: AbortSignal): number {
    const known = signals.get(signal);
    if (known !== undefined) return known;
    lastSignal += 1;
    const number = lastSignal;
    signals.set(signal, number);
    signal.addEventListener('abort', () => tell({ kind: 'abort', signal: number }), { once: true });
    return number;
  }

  function tell(told: Told): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    worker?.postMessage(told);
  }

  return {
    async call(call, signal) {
      if (closing !== undefined) throw closed();
      signal?.throwIfAborted();
      try {
        return await begin(call, signal === undefined ? null : numberOf(signal));
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
    prepare() {},

    async [Symbol.asyncDispose]() {
      closing ??= close();
      await closing;
    },
  };

  async function close(): Promise<void> {
    if (worker === null) return;
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    worker.once('exit', resolve);
    // What began in this turn is under way, too.
    flush();
    tell({ kind: 'close' });
    const late = setTimeout(() => void worker?.terminate(), longestCloseMs);
    await ended;
    clearTimeout(late);
  }
}

function startWorker(options: ThreadOptions, { code, isFile }: ThreadCode): Worker {
  return new Worker(code, { eval: !isFile, name: 'egress', workerData: options });
}
