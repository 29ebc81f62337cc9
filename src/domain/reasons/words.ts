/** Words that several sentences use. */

import { inTwoUnits } from '../durations.ts';
import { localTimeText } from '../schedule/local-time.ts';
import type { Fact, FactKind, JobChange } from './facts.ts';

/** A known fact. */
export function fact(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: true, ...values };
}

/** What is not known, and why. */
export function unknown(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: false, ...values };
}

/** An instant as the clocks of a zone show it, with seconds if it has some: `Tue 2026-11-24 02:30 +01:00`. */
export function timeIn(at: number, zone: string): string {
  return localTimeText(at, zone, at % 60_000 !== 0);
}

/** A length: `340 ms`, `12 s`, `2 h 4 min`. */
export function lengthText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 10_000) return `${Math.round(ms / 100) / 10} s`;
  return inTwoUnits(Math.round(ms / 1_000), { minute: 'min' });
}

/** ` by key laptop`; nothing for those who may not know. */
export function byWhom({ who }: Pick<JobChange, 'who'>): string {
  return who === null ? '' : ` by ${who}`;
}

/** The same as a value. */
export function actorOf({ who }: Pick<JobChange, 'who'>): Partial<Fact> {
  return who === null ? {} : { actor: who };
}
