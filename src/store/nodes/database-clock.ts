/** The wall clock of a database on a server: all its nodes go by it, whatever the clocks of their machines say. */

import type { Clock } from '../../domain/clock.ts';
import { databaseNow } from '../database/dialect.ts';
import type { Db } from '../database/store.ts';

/** When a question was sent and its answer came, by the monotonic clock, in milliseconds. */
export interface RoundTrip {
  sentMs: number;
  receivedMs: number;
}

/** It is carried by the monotonic clock of this machine, and corrected by what the database says. */
export class DatabaseClock implements Clock {
  readonly #machine: Clock;
  /** What to add to the monotonic clock. */
  #offset: number;

  /** Starts with the time of this machine. */
  constructor(machine: Clock) {
    this.#machine = machine;
    this.#offset = machine.now() - machine.monotonicMs();
  }

  now(): number {
    return Math.round(this.#machine.monotonicMs() + this.#offset);
  }

  monotonicMs(): number {
    return this.#machine.monotonicMs();
  }

  after<Given extends unknown[]>(
    ms: number,
    run: (...given: Given) => void,
    ...given: Given
  ): Disposable {
    return this.#machine.after(ms, run, ...given);
  }

  every(ms: number, run: () => void): Disposable {
    return this.#machine.every(ms, run);
  }

  /** How far the clock of this machine is ahead, in milliseconds. */
  leadMs(): number {
    return Math.round(this.#machine.now() - this.now());
  }

  /** Corrects it by a time that the database gave between these moments. What could be the way there and back changes nothing. */
  correct(databaseTime: number, { sentMs, receivedMs }: RoundTrip): void {
    const halfWayMs = (receivedMs - sentMs) / 2;
    const offset = databaseTime - (sentMs + halfWayMs);
    if (Math.abs(offset - this.#offset) > halfWayMs) this.#offset = offset;
  }
}

/** Makes the clock of a database. */
export async function databaseClockOf(db: Db, machine: Clock): Promise<DatabaseClock> {
  const clock = new DatabaseClock(machine);
  // The first question opens a connection, which takes much longer than an answer.
  for (let asked = 0; asked < 2; asked += 1) {
    const sentMs = machine.monotonicMs();
    const row = await db.selectNoFrom(databaseNow.as('now')).executeTakeFirstOrThrow();
    clock.correct(row.now, { sentMs, receivedMs: machine.monotonicMs() });
  }
  return clock;
}
