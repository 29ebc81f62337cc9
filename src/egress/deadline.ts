/**
 * The one deadline of an attempt, on the monotonic clock, for all its phases. It ends when the time is up or when the caller
 * aborts, and cuts off the current phase.
 */

import { systemClock, type Timers } from '../domain/clock.ts';

/** The current step of an attempt, for the message of a timeout. */
export type Phase =
  | 'looking up the name'
  | 'waiting for a free connection'
  | 'connecting'
  | 'in the TLS handshake'
  | 'waiting for the answer'
  | 'reading the body';

/** Thrown when the deadline ends a phase; never leaves egress. */
export class DeadlineOver extends Error {
  override readonly name = 'DeadlineOver';
}

/** The times of an attempt, in milliseconds from its start. */
export interface Times {
  timeoutMs: number;
  /** Later than that the request is not written. Default: any time. */
  beginWithinMs?: number;
}

/** Runs from its creation until `stop`. One phase at a time listens to it. */
export class Deadline {
  readonly timeoutMs: number;
  /** Ends the deadline when it aborts. */
  readonly signal: AbortSignal | undefined;
  readonly timers: Timers;
  phase: Phase = 'looking up the name';
  /** Why it ended; null until then. An abort has the caller's reason. */
  over: 'expired' | { abortedBy: unknown } | null = null;
  readonly #endsAt: number;
  readonly #beginBy: number;
  readonly #timer: Disposable;
  #cutOff: (() => void) | null = null;

  constructor(
    { timeoutMs, beginWithinMs = Infinity }: Times,
    { signal, timers = systemClock }: { signal?: AbortSignal | undefined; timers?: Timers } = {},
  ) {
    this.timeoutMs = timeoutMs;
    this.signal = signal;
    this.timers = timers;
    const now = timers.monotonicMs();
    this.#endsAt = now + timeoutMs;
    this.#beginBy = now + beginWithinMs;
    this.#timer = timers.after(timeoutMs, expire, this);
  }

  /** Whether the request may have been written, also in part. */
  get isSent(): boolean {
    return this.phase === 'waiting for the answer' || this.phase === 'reading the body';
  }

  /** Whether the request may be written now. A process that was frozen meanwhile learns here that it is too late. */
  mayBegin(): boolean {
    return this.timers.monotonicMs() < this.#beginBy;
  }

  /** Milliseconds left, never below 0. */
  remainingMs(): number {
    return Math.max(0, this.#endsAt - this.timers.monotonicMs());
  }

  /** Throws DeadlineOver if it is over. */
  check(): void {
    if (this.over !== null) throw new DeadlineOver();
  }

  /** Runs `cutOff` once when the deadline ends, immediately if it has ended; null stops listening. */
  onOver(cutOff: (() => void) | null): void {
    if (this.over === null) this.#cutOff = cutOff;
    else cutOff?.();
  }

  /** Ends it, for good. */
  end(why: 'expired' | { abortedBy: unknown }): void {
    if (this.over !== null) return;
    this.over = why;
    const cutOff = this.#cutOff;
    this.stop();
    cutOff?.();
  }

  /** Stops the timer without cutting anything off. */
  stop(): void {
    this.#timer[Symbol.dispose]();
    this.#cutOff = null;
  }
}

function expire(deadline: Deadline): void {
  deadline.end('expired');
}

/** Waits for `work` until the deadline. Then it throws DeadlineOver, and the result of `work` is ignored. */
export function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  deadline.onOver(() => reject(new DeadlineOver()));
  work.then(resolve, reject);
  return promise.finally(() => deadline.onOver(null));
}
