/**
 * The one deadline of an attempt, on the monotonic clock, over all its phases. It is over when the
 * time is up or when the caller aborts; whatever is under way then is cut off.
 */

/** What an attempt is doing; told to people when the time is up. */
export type Phase =
  | 'looking up the name'
  | 'waiting for a free connection'
  | 'connecting'
  | 'in the TLS handshake'
  | 'waiting for the answer'
  | 'reading the body';

/** Thrown inside egress, and caught there, when the deadline ends a phase. */
export class DeadlineOver extends Error {
  override readonly name = 'DeadlineOver';
}

/** An attempt's deadline, running from its creation until `stop`. One phase at a time listens to it. */
export class Deadline {
  readonly timeoutMs: number;
  /** Cuts the attempt off when it aborts. */
  readonly signal: AbortSignal | undefined;
  phase: Phase = 'looking up the name';
  /** Why it is over; null while it is not. An abort carries the caller's reason. */
  over: 'expired' | { abortedBy: unknown } | null = null;
  readonly #endsAt: number;
  readonly #timer: NodeJS.Timeout;
  #cutOff: (() => void) | null = null;

  constructor(timeoutMs: number, signal?: AbortSignal) {
    this.timeoutMs = timeoutMs;
    this.signal = signal;
    this.#endsAt = performance.now() + timeoutMs;
    this.#timer = setTimeout(expire, timeoutMs, this);
  }

  /** Whether something of the request may have been written. */
  get isSent(): boolean {
    return this.phase === 'waiting for the answer' || this.phase === 'reading the body';
  }

  /** Milliseconds left, never below 0. */
  remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** Throws DeadlineOver if it is over. */
  check(): void {
    if (this.over !== null) throw new DeadlineOver();
  }

  /** Runs `cutOff` once when it is over, at once if it is already; null stops listening. */
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

  /** Stops the timer; nothing is cut off any more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#cutOff = null;
  }
}

function expire(deadline: Deadline): void {
  deadline.end('expired');
}

/** Waits for `work`, but not beyond the deadline: then it throws DeadlineOver and `work` goes on alone. */
export function within<T>(deadline: Deadline, work: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  deadline.onOver(() => reject(new DeadlineOver()));
  work.then(resolve, reject);
  return promise.finally(() => deadline.onOver(null));
}
