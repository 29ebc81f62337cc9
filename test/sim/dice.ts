/** Named streams of random numbers from one seed: what one of them is asked for shifts no other. */

import { seededRandom } from '../support/dice.ts';

/** A stream. */
export class Dice {
  readonly next: () => number;

  constructor(seed: number, name: string) {
    let hash = seed >>> 0;
    for (const letter of name) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0;
    this.next = seededRandom(hash);
  }

  /** A whole number from 0 to `below`, which is excluded. */
  int(below: number): number {
    return Math.floor(this.next() * below);
  }

  /** A whole number between two, both included. */
  between(least: number, most: number): number {
    return least + this.int(most - least + 1);
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.int(from.length)] as T;
  }

  /** How long until the next of events that come by themselves, in milliseconds. */
  pauseMs(meanMs: number): number {
    return Math.round(-Math.log(1 - this.next()) * meanMs);
  }
}
