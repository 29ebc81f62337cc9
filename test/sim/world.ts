/**
 * The world of a history: virtual time, the order of what happens at once, and what is wrong. Whatever waits is an event in one
 * queue, and belongs to the node whose code asked for it: a node that was killed has no events any more, and one that is frozen
 * gets them later. Between two events all promises that can go on do.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { Dice } from './dice.ts';
import { replaceWith, settled } from './hooks.ts';
import type { IdState } from './ids.ts';
import { pairOf } from './pairs.ts';

/** Who acts: a process that can be killed or frozen. */
export interface Actor {
  readonly name: string;
  isDead: boolean;
  /** In milliseconds of the world's time. */
  frozenUntil: number;
  readonly ids: IdState;
}

interface Event {
  at: number;
  /** Decides between events at the same time. */
  rank: number;
  seq: number;
  actor: Actor | null;
  run: (() => void) | null;
}

const actors = new AsyncLocalStorage<Actor | null>();

/** Whose code runs now; null for targets, people and the world itself. */
export function current(): Actor | null {
  return actors.getStore() ?? null;
}

/** Runs code as that of an actor. */
export function as<T>(actor: Actor | null, run: () => T): T {
  return actors.run(actor, run);
}

let simulated: World | undefined;

/** The world that is simulated now. */
export function world(): World {
  if (simulated === undefined) throw new Error('there is no simulation');
  return simulated;
}

/** Lets a world be the one that is simulated. */
export function enter(made: World): World {
  simulated = made;
  replaceWith(made);
  return made;
}

/** Events at one moment; more mean that something never rests. */
const mostAtOnce = 20_000;

export class World {
  readonly seed: number;
  /** The true time, in epoch milliseconds. */
  now: number;
  /** The first rule that was broken; null if none was. */
  failure: string | null = null;
  readonly ids: IdState = { lastMs: 0, count: 0 };
  /** The last lines of the trace. */
  readonly lines: string[] = [];
  /** Which pairs of mechanisms were under way together, and how often. */
  readonly pairs = new Map<string, number>();
  readonly #underWay = new Map<string, number>();
  readonly #onLine: ((line: string) => void) | undefined;
  readonly #hash = createHash('sha256');
  readonly #streams = new Map<string, Dice>();
  readonly #heap: Event[] = [];
  readonly #startedAt: number;
  #seq = 0;
  #atOnce = 0;

  constructor(seed: number, startedAt: number, onLine?: (line: string) => void) {
    this.seed = seed;
    this.now = this.#startedAt = startedAt;
    this.#onLine = onLine;
  }

  dice(name: string): Dice {
    const known = this.#streams.get(name) ?? new Dice(this.seed, name);
    this.#streams.set(name, known);
    return known;
  }

  /** Seconds since the beginning. */
  get elapsed(): string {
    return ((this.now - this.#startedAt) / 1_000).toFixed(3);
  }

  /** What happened; all of it is in the hash of the history. */
  note(what: string): void {
    const line = `${this.elapsed} ${current()?.name ?? '-'} ${what}`;
    this.#hash.update(`${line}\n`);
    this.#onLine?.(line);
    this.lines.push(line);
    if (this.lines.length > 400) this.lines.splice(0, 200);
  }

  /** A rule is broken: the history ends. */
  fail(rule: string, what: string): void {
    if (this.failure !== null) return;
    this.failure = `${rule}: ${what}`;
    this.note(`BROKEN ${this.failure}`);
  }

  /** A mechanism is under way for so long: it meets those that are, too. */
  meets(mechanism: string, ms = 1_000): void {
    const until = this.now + ms;
    for (const [other, itsEnd] of this.#underWay) {
      if (itsEnd < this.now) this.#underWay.delete(other);
      else if (other !== mechanism) {
        const pair = pairOf(mechanism, other);
        this.pairs.set(pair, (this.pairs.get(pair) ?? 0) + 1);
      }
    }
    this.#underWay.set(mechanism, Math.max(until, this.#underWay.get(mechanism) ?? 0));
  }

  hash(): string {
    return this.#hash.copy().digest('hex');
  }

  after(ms: number, run: () => void, actor: Actor | null = current()): Disposable {
    if (!Number.isFinite(ms)) this.fail('timers', `a rest of ${ms} ms`);
    return this.#add({ at: this.now + Math.max(0, ms), actor, run });
  }

  immediate(run: () => void): Disposable {
    return this.#add({ at: this.now, actor: current(), run });
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve));
  }

  /** Lets time pass up to a moment, or until a rule is broken. */
  async until(end: number): Promise<void> {
    await settled();
    for (let next = this.#heap[0]; next !== undefined && next.at <= end; next = this.#heap[0]) {
      if (this.failure !== null) return;
      this.#pop();
      if (next.run === null || next.actor?.isDead === true) continue;
      const frozenUntil = next.actor?.frozenUntil ?? 0;
      if (frozenUntil > next.at) {
        // The same object: whoever may call it off holds it.
        next.at = frozenUntil;
        this.#push(next);
        continue;
      }
      this.#atOnce = next.at === this.now ? this.#atOnce + 1 : 0;
      if (this.#atOnce > mostAtOnce) return this.fail('liveness', 'time stands still');
      this.now = next.at;
      as(next.actor, next.run);
      await settled();
    }
    this.now = Math.max(this.now, end);
  }

  #add(given: Pick<Event, 'at' | 'actor' | 'run'>): Disposable {
    const event = { ...given, rank: this.dice('order').next(), seq: (this.#seq += 1) };
    this.#push(event);
    return { [Symbol.dispose]: () => void (event.run = null) };
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let place = heap.push(event) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (!isBefore(event, heap[parent]!)) break;
      heap[place] = heap[parent]!;
      place = parent;
    }
    heap[place] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[place] = heap[child]!;
      place = child;
    }
    heap[place] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.rank === other.rank ? one.seq < other.seq : one.rank < other.rank;
}
