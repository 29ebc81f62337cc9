/**
 * Egress in threads of its own, so that calls go on while the store writes, and API requests while handshakes are computed
 * (docs/decisions/0014-threads-of-calls.md#handshakes-get-more-threads-and-a-host-stays-in-one). This is the main side. A host
 * stays in one thread (`thread.ts`), which has its connections, so every rule for a host holds as if there were one thread.
 */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { AttemptResult } from '../domain/runs/outcome.ts';
import type { CallSigner } from '../identity/keyring.ts';
import { packCall, unpackAnswer, type SentAnswer, type SentCall } from './crossing.ts';
import type { Call, Egress, EgressOptions } from './egress.ts';
import { egressClosed, localTrouble } from './failure.ts';
import { Lru } from './lru.ts';

/** A message to a thread. */
export type ToThread =
  | { kind: 'call'; calls: SentCall[] }
  | { kind: 'keys'; keys: readonly CallSigner[] }
  | { kind: 'abort'; signal: number }
  | { kind: 'close' };

/** A message from a thread. An error is one of this program, never the target's. */
export type FromThread =
  | { kind: 'answered'; answers: SentAnswer[] }
  | { kind: 'failed'; number: number; error: unknown }
  | { kind: 'closed' };

/** The options that can cross to a thread. */
export type ThreadOptions = Omit<EgressOptions, 'resolve'>;

/** With this many TLS calls in flight, a thread is busy for long enough to start another one. */
const busyCalls = 32;
/** Each takes some 23 MB, and the main thread serves all of them. */
const mostThreads = 4;
/** Hosts whose thread is remembered. A host older than that has no idle connection worth keeping. */
const maxKnownHosts = 20_000;
/** A thread that has not closed by then hangs and is terminated. */
const longestCloseMs = 5_000;

/** How threads are started. */
export interface Threads {
  most: number;
  start: (options: ThreadOptions) => Egress;
}

interface Thread {
  egress: Egress;
  /** TLS calls in flight. */
  calls: number;
}

/** Starts a thread when the first call is near, and more when it is busy: as many as there are cores, 4 at most. */
export function startEgressThreads(
  options: ThreadOptions,
  { most, start }: Threads = {
    most: Math.min(availableParallelism(), mostThreads),
    start: createThreadStarter(),
  },
): Egress {
  const idleConnections = Math.floor((options.idleConnections ?? Infinity) / most);
  const threads: Thread[] = [];
  const threadOfOrigin = new Lru<Thread>(maxKnownHosts);
  let callKeys: readonly CallSigner[] = [];
  let isClosed = false;

  function startThread(): Thread {
    if (isClosed) throw egressClosed();
    const thread = { egress: start({ ...options, idleConnections }), calls: 0 };
    if (callKeys.length > 0) thread.egress.useCallKeys(callKeys);
    threads.push(thread);
    return thread;
  }

  function first(): Thread {
    return threads[0] ?? startThread();
  }

  function leastBusy(): Thread {
    const least = threads.reduce((one, other) => (other.calls < one.calls ? other : one), first());
    if (least.calls < busyCalls || threads.length >= most) return least;
    try {
      return startThread();
    } catch {
      // The machine permits no other thread, so the present ones do the work.
      return least;
    }
  }

  async function callWithTls(call: Call, signal?: AbortSignal): Promise<AttemptResult> {
    const origin = URL.parse(call.url)?.origin ?? '';
    const thread = threadOfOrigin.get(origin) ?? leastBusy();
    threadOfOrigin.set(origin, thread);
    thread.calls++;
    try {
      return await thread.egress.call(call, signal);
    } finally {
      thread.calls--;
    }
  }

  async function callFirst(call: Call, signal?: AbortSignal): Promise<AttemptResult> {
    return await first().egress.call(call, signal);
  }

  return {
    call(call, signal) {
      if (/^https:/i.test(call.url)) return callWithTls(call, signal);
      const plain = threads[0];
      return plain === undefined ? callFirst(call, signal) : plain.egress.call(call, signal);
    },
    prepare: () => void first(),
    useCallKeys(keys) {
      callKeys = keys;
      for (const { egress } of threads) egress.useCallKeys(keys);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      await Promise.all(threads.map(({ egress }) => egress[Symbol.asyncDispose]()));
    },
  };
}

/** Reads the thread's code now: an update may have replaced the file when the next thread starts. */
function createThreadStarter(): (options: ThreadOptions) => Egress {
  const code = threadCode();
  return (options) => startEgressThread(options, code);
}

/** Starts one thread. If it ever ends by itself, that is an uncaught error of this process. */
export function startEgressThread(options: ThreadOptions, code = threadCode()): Egress {
  return new EgressThread(options, code);
}

/** Who waits for an answer. */
interface Waiting extends PromiseWithResolvers<AttemptResult> {
  signal: AbortSignal | undefined;
}

class EgressThread implements Egress {
  readonly #startWorker: () => Worker;
  readonly #pending = new Map<number, Waiting>();
  readonly #signals = new WeakMap<AbortSignal, number>();
  #lastNumber = 0;
  #lastSignal = 0;
  /** Calls of this turn, which go to the thread in one message. */
  #begun: SentCall[] = [];
  #closing: Promise<void> | undefined;
  #callKeys: readonly CallSigner[] = [];
  /** Null after it could not start for lack of files or memory; the next call starts it again. */
  #worker: Worker | null;

  constructor(options: ThreadOptions, { code, isFile }: ThreadCode) {
    this.#startWorker = () =>
      this.#listenTo(new Worker(code, { eval: !isFile, name: 'egress', workerData: options }));
    this.#worker = this.#startWorker();
  }

  call(call: Call, signal?: AbortSignal): Promise<AttemptResult> {
    if (this.#closing !== undefined) return Promise.reject(egressClosed());
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    try {
      return this.#begin(call, signal);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  prepare(): void {}

  useCallKeys(keys: readonly CallSigner[]): void {
    this.#callKeys = keys;
    this.#send({ kind: 'keys', keys });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  #listenTo(worker: Worker): Worker {
    let hasBegun = true;
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'answered') {
        for (const answer of message.answers) this.#taken(answer[0])?.resolve(unpackAnswer(answer));
      } else if (message.kind === 'failed') this.#fail(message.number, message.error);
      // A DNS query without a caller may be left; it must not delay the end.
      else void worker.terminate();
    });
    worker.on('error', (error) => {
      const trouble = localTrouble(error);
      if (trouble === null) throw error;
      hasBegun = false;
      this.#worker = null;
      const result = { kind: 'local', trouble: trouble.message } as const;
      for (const number of this.#pending.keys()) this.#taken(number)?.resolve(result);
    });
    worker.on('exit', (exitCode) => {
      if (!hasBegun) return;
      if (this.#closing === undefined) {
        throw new Error(`the thread of outgoing calls ended with ${exitCode}`);
      }
      for (const number of this.#pending.keys()) this.#fail(number, egressClosed());
    });
    return worker;
  }

  /** Who waits for this answer, and waits no longer. */
  #taken(number: number): Waiting | undefined {
    const waiting = this.#pending.get(number);
    this.#pending.delete(number);
    return waiting;
  }

  #fail(number: number, error: unknown): void {
    const { signal, reject } = this.#taken(number) ?? {};
    reject?.(signal?.aborted === true ? signal.reason : error);
  }

  #begin(call: Call, signal: AbortSignal | undefined): Promise<AttemptResult> {
    const number = ++this.#lastNumber;
    const waiting = Promise.withResolvers<AttemptResult>();
    this.#pending.set(number, { ...waiting, signal });
    this.#worker ??= this.#startWorkerAgain();
    if (this.#begun.length === 0) queueMicrotask(() => this.#flush());
    const signalNumber = signal === undefined ? null : this.#numberOf(signal);
    this.#begun.push(packCall(call, { number, signal: signalNumber }));
    return waiting.promise;
  }

  #startWorkerAgain(): Worker {
    this.#worker = this.#startWorker();
    this.useCallKeys(this.#callKeys);
    return this.#worker;
  }

  #flush(): void {
    const calls = this.#begun;
    this.#begun = [];
    if (calls.length > 0) this.#send({ kind: 'call', calls });
  }

  /** Adds one listener per signal, however many calls share it. */
  #numberOf(signal: AbortSignal): number {
    const known = this.#signals.get(signal);
    if (known !== undefined) return known;
    const number = ++this.#lastSignal;
    this.#signals.set(signal, number);
    const abort = (): void => this.#send({ kind: 'abort', signal: number });
    signal.addEventListener('abort', abort, { once: true });
    return number;
  }

  #send(message: ToThread): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
    this.#worker?.postMessage(message);
  }

  async #close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const { promise: ended, resolve } = Promise.withResolvers<unknown>();
    worker.once('exit', resolve);
    // Calls of this turn are in flight, too.
    this.#flush();
    this.#send({ kind: 'close' });
    const late = setTimeout(() => void this.#worker?.terminate(), longestCloseMs);
    await ended;
    clearTimeout(late);
  }
}

/** Name of the asset and of the file beside the bundle; set by the build. */
declare const JOBD_EGRESS_THREAD: string;

/** The thread's code, or the path of the file that holds it. */
interface ThreadCode {
  code: string;
  isFile: boolean;
}

/** An asset of the executable, a file beside the bundle, or the source. Throws if it is not there. */
function threadCode(): ThreadCode {
  if (typeof JOBD_EGRESS_THREAD === 'undefined') {
    return { code: join(import.meta.dirname, 'thread.ts'), isFile: true };
  }
  if (isSea()) return { code: getAsset(JOBD_EGRESS_THREAD, 'utf8'), isFile: false };
  // In the bundle, the build makes this directory the bundle's own.
  const file = join(import.meta.dirname, JOBD_EGRESS_THREAD);
  return { code: readFileSync(file, 'utf8'), isFile: false };
}
