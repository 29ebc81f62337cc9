/** The one deadline of an attempt, on the monotonic clock. It ends with its time or at an abort, and cuts off the current phase. */

import { systemClock, type Clock } from '../domain/clock.ts';
import { secondsText } from './failure.ts';

/** A timer that comes later than this was held up: the process was suspended, or this machine had no time for it. */
const longestDelayMs = 1_000;

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

/** Why a deadline ended: its time was up, or that came to light too late, or the caller gave up. */
export type End = 'expired' | 'suspended' | { abortedBy: unknown };

/** Runs from its creation until `stop`. One phase at a time listens to it. */
export class Deadline {
  readonly timeoutMs: number;
  /** Ends the deadline when it aborts. */
  readonly signal: AbortSignal | undefined;
  readonly timers: Clock;
  phase: Phase = 'looking up the name';
  /** Why it ended; null until then. An abort has the caller's reason. */
  over: End | null = null;
  /** How long this machine stood still while the time went by; 0 if it did not. */
  suspendedMs = 0;
  /** Monotonic time at which it ends. */
  readonly endsAt: number;
  readonly #beginBy: number;
  /** Wall time at the start: the monotonic clock stands while a machine sleeps. */
  readonly #startedAt: number;
  readonly #running: Deadlines;
  #isStopped = false;
  #cutOff: (() => void) | null = null;

  constructor(
    { timeoutMs, beginWithinMs = Infinity }: Times,
    {
      signal,
      running = new Deadlines(),
    }: { signal?: AbortSignal | undefined; running?: Deadlines } = {},
  ) {
    const { timers } = running;
    this.timeoutMs = timeoutMs;
    this.signal = signal;
    this.timers = timers;
    const now = timers.monotonicMs();
    this.endsAt = now + timeoutMs;
    this.#beginBy = now + beginWithinMs;
    this.#startedAt = timers.now();
    this.#running = running;
    running.add(this);
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
    return Math.max(0, this.endsAt - this.timers.monotonicMs());
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

  /** The time is up. If this machine stood still meanwhile, what has come in is read first. */
  expire(): void {
    const { timers, timeoutMs } = this;
    const lateMs = timers.monotonicMs() - this.endsAt;
    const sleptMs = timers.now() - this.#startedAt - timeoutMs;
    const suspendedMs = Math.max(lateMs, sleptMs);
    if (suspendedMs <= longestDelayMs) return this.end('expired');
    this.suspendedMs = suspendedMs;
    afterReading(() => this.end('suspended'));
  }

  /** Ends it, for good. */
  end(why: End): void {
    if (this.over !== null || this.#isStopped) return;
    this.over = why;
    const cutOff = this.#cutOff;
    this.stop();
    cutOff?.();
  }

  /** Stops the timer without cutting anything off. */
  stop(): void {
    this.#isStopped = true;
    this.#running.delete(this);
    this.#cutOff = null;
  }
}

/** The deadlines that run, with one timer for the first of them. */
export class Deadlines extends Set<Deadline> {
  readonly timers: Clock;
  #timer: Disposable | null = null;
  #ringsAt = Infinity;

  constructor(timers: Clock = systemClock) {
    super();
    this.timers = timers;
  }

  override add(deadline: Deadline): this {
    this.#ringBy(deadline.endsAt);
    return super.add(deadline);
  }

  override delete(deadline: Deadline): boolean {
    const had = super.delete(deadline);
    if (this.size === 0) this.#rest();
    return had;
  }

  /** Ends those whose time is up. */
  ring(): void {
    this.#rest();
    const now = this.timers.monotonicMs();
    for (const deadline of this) {
      if (deadline.endsAt > now) this.#ringBy(deadline.endsAt);
      else if (this.delete(deadline)) deadline.expire();
    }
  }

  #ringBy(at: number): void {
    if (at >= this.#ringsAt) return;
    this.#rest();
    this.#ringsAt = at;
    this.#timer = this.timers.after(at - this.timers.monotonicMs(), ring, this);
  }

  #rest(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    this.#ringsAt = Infinity;
  }
}

function ring(deadlines: Deadlines): void {
  deadlines.ring();
}

/** Runs it when the sockets have been read, and TLS what they held: timers come before both after a pause. */
function afterReading(run: () => void): void {
  setImmediate(() => setImmediate(run));
}

const lookEveryMs = 500;

/** Notices when this machine stands still, from now until it is disposed of. */
export class StallWatch implements Disposable {
  readonly #clock: Clock;
  readonly #looking: Disposable;
  #monotonicMs: number;
  #wallMs: number;
  #longestMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#monotonicMs = clock.monotonicMs();
    this.#wallMs = clock.now();
    this.#looking = clock.every(lookEveryMs, () => this.#look());
  }

  /** How long it stood still at most; 0 if it did not. */
  stalledMs(): number {
    this.#look();
    return this.#longestMs > longestDelayMs ? this.#longestMs : 0;
  }

  [Symbol.dispose](): void {
    this.#looking[Symbol.dispose]();
  }

  #look(): void {
    const [monotonicMs, wallMs] = [this.#clock.monotonicMs(), this.#clock.now()];
    const passedMs = Math.max(monotonicMs - this.#monotonicMs, wallMs - this.#wallMs);
    this.#longestMs = Math.max(this.#longestMs, passedMs - lookEveryMs);
    [this.#monotonicMs, this.#wallMs] = [monotonicMs, wallMs];
  }
}

/** What stood in the way of whatever went on meanwhile. */
export function stoodStill(ms: number): string {
  return `this machine stood still for ${secondsText(Math.round(ms / 100) * 100)}`;
}

/** Waits for `work` until the deadline. Then it throws DeadlineOver, and the result of `work` is ignored. */
export function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  deadline.onOver(() => reject(new DeadlineOver()));
  work.then(resolve, reject);
  return promise.finally(() => deadline.onOver(null));
}
