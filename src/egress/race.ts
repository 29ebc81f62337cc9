/**
 * Connects to one of the addresses of a name (RFC 8305, "Happy Eyeballs"): IPv4 and IPv6 in turns, the next one as soon as one
 * fails, or when none has answered for a moment. The first that connects wins, and the others are given up. Nothing has
 * been sent by then. Addresses that were silent go last for some minutes.
 */

import type { Failure } from '../domain/runs/outcome.ts';
import type { Timers } from '../domain/clock.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { LocalTrouble } from './failure.ts';
import { Lru } from './lru.ts';

/** What a step of a call needs of its deadline. */
export type Limit = Pick<Deadline, 'onOver'> & { readonly timers: Timers };

/** Why an address cannot be connected to. */
export interface NotConnected {
  failure: Failure;
  /** Whether another address may be tried. */
  unreachable: boolean;
  /** Whether this machine has no way to that address, which says nothing about the target. */
  isWayMissing: boolean;
}

/** Connects to an address. Throws DeadlineOver and LocalTrouble. */
export type Attempt<Connected> = (
  address: string,
  limit: Limit,
) => Promise<{ connected: Connected } | NotConnected>;

/** How long an address may be silent before the next one is tried too. */
const patienceMs = 500;
/** Attempts at once. When one more begins, the oldest is given up. */
const mostAtOnce = 4;
/** How long an address that was silent goes last. */
const lastFor = { ttl: 5 * 60_000 };
const maxSilent = 10_000;

/** Connects to one of several addresses of a port. Throws DeadlineOver, and LocalTrouble if this machine lacks something. */
export class Racing {
  /** Addresses with their port that were silent lately. */
  readonly #silent: Lru<true>;
  readonly #timers: Timers;

  constructor(timers: Timers) {
    this.#timers = timers;
    this.#silent = new Lru<true>(maxSilent, timers);
  }

  /** `drop` closes what connected too late. */
  async connect<Connected>(
    {
      addresses,
      port,
      deadline,
    }: { addresses: readonly string[]; port: number; deadline: Deadline },
    attempt: Attempt<Connected>,
    drop: (connected: Connected) => void,
  ): Promise<{ connected: Connected; address: string } | { failure: Failure }> {
    const race = new Race(this.#order(addresses, port), {
      deadline,
      timers: this.#timers,
      attempt,
      drop,
    });
    try {
      const won = await race.result;
      if ('address' in won) this.#silent.delete(keyOf(won.address, port));
      return won;
    } finally {
      for (const address of race.silent) this.#silent.set(keyOf(address, port), true, lastFor);
    }
  }

  #order(addresses: readonly string[], port: number): string[] {
    if (addresses.length < 2) return [...addresses];
    const inOrder = inTurns(addresses);
    const isSilent = (address: string): boolean => this.#silent.has(keyOf(address, port));
    return [...inOrder.filter((address) => !isSilent(address)), ...inOrder.filter(isSilent)];
  }
}

function keyOf(address: string, port: number): string {
  return `${address} ${port}`;
}

/** The first IPv4 address, the first IPv6 address, the second IPv4 address, and so on. */
export function inTurns(addresses: readonly string[]): string[] {
  const families = [addresses.filter((address) => !isIPv6(address)), addresses.filter(isIPv6)];
  return addresses.flatMap((_, place) =>
    families.flatMap((family) => family.slice(place, place + 1)),
  );
}

function isIPv6(address: string): boolean {
  return address.includes(':');
}

interface RaceParts<Connected> {
  deadline: Deadline;
  timers: Timers;
  attempt: Attempt<Connected>;
  drop: (connected: Connected) => void;
}

type Result<Connected> = { connected: Connected; address: string } | { failure: Failure };

/** An attempt under way. */
interface Runner {
  address: string;
  begunMs: number;
  /** Ends it. */
  cut: (() => void) | null;
}

class Race<Connected> {
  readonly result: Promise<Result<Connected>>;
  /** Addresses that did not answer for so long that others were tried, or until the time was up. */
  readonly silent = new Set<string>();
  readonly #parts: RaceParts<Connected>;
  readonly #waiting: string[];
  /** The oldest first. */
  readonly #running = new Set<Runner>();
  readonly #resolve: (result: Result<Connected>) => void;
  readonly #reject: (error: unknown) => void;
  readonly #failures: NotConnected[] = [];
  #trouble: LocalTrouble | null = null;
  #timer: Disposable | null = null;
  #isOver = false;

  constructor(addresses: readonly string[], parts: RaceParts<Connected>) {
    const { promise, resolve, reject } = Promise.withResolvers<Result<Connected>>();
    this.result = promise;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#parts = parts;
    this.#waiting = [...addresses];
    parts.deadline.onOver(() => {
      this.#end();
      reject(new DeadlineOver());
    });
    if (!this.#isOver) this.#beginNext();
  }

  #beginNext(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
    const address = this.#waiting.shift();
    if (address === undefined) {
      if (this.#running.size === 0) this.#lose();
      return;
    }
    const { timers, deadline } = this.#parts;
    const [oldest] = this.#running;
    if (oldest !== undefined && this.#running.size >= mostAtOnce) this.#giveUp(oldest);
    const left = this.#waiting.length;
    void this.#run({ address, begunMs: timers.monotonicMs(), cut: null });
    if (this.#isOver || left === 0) return;
    // Of little time, all addresses get a part.
    const waitMs = Math.min(patienceMs, deadline.remainingMs() / (left + 1));
    this.#timer = timers.after(waitMs, () => this.#beginNext());
  }

  async #run(runner: Runner): Promise<void> {
    const { timers, attempt, drop } = this.#parts;
    this.#running.add(runner);
    const onOver = (cut: (() => void) | null): void => void (runner.cut = cut);
    try {
      const result = await attempt(runner.address, { timers, onOver });
      const isIn = this.#running.delete(runner);
      if ('connected' in result) {
        if (isIn) this.#win(result.connected, runner.address);
        else drop(result.connected);
      } else if (isIn) this.#fail(result);
    } catch (error) {
      const isIn = this.#running.delete(runner);
      if (!isIn || error instanceof DeadlineOver) return;
      if (!(error instanceof LocalTrouble)) return this.#endWith(() => this.#reject(error));
      this.#trouble = error;
      this.#beginNext();
    }
  }

  #win(connected: Connected, address: string): void {
    this.#endWith(() => this.#resolve({ connected, address }));
  }

  #fail(result: NotConnected): void {
    this.#failures.push(result);
    if (result.unreachable) this.#beginNext();
    else this.#endWith(() => this.#resolve({ failure: result.failure }));
  }

  /** All have failed. What this machine lacks is no fault of the target, and a way that is missing says less than an answer. */
  #lose(): void {
    const [first] = this.#failures;
    const told = this.#failures.find(({ isWayMissing }) => !isWayMissing) ?? first;
    this.#endWith(() => {
      if (this.#trouble !== null) this.#reject(this.#trouble);
      else
        this.#resolve({
          failure: told?.failure ?? { reason: 'dns', detail: 'there is no address' },
        });
    });
  }

  #endWith(settle: () => void): void {
    this.#parts.deadline.onOver(null);
    this.#end();
    settle();
  }

  #end(): void {
    this.#isOver = true;
    this.#waiting.length = 0;
    this.#timer?.[Symbol.dispose]();
    for (const runner of this.#running) this.#giveUp(runner);
  }

  #giveUp(runner: Runner): void {
    this.#running.delete(runner);
    const { timers } = this.#parts;
    if (timers.monotonicMs() - runner.begunMs >= patienceMs) this.silent.add(runner.address);
    runner.cut?.();
  }
}
