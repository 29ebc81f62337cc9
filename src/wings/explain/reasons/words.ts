/** Words that several sentences use. */

import { inTwoUnits } from '../../../domain/durations.ts';
import type { Fact, FactKind, JobChange } from './facts.ts';

/** A known fact. */
export function fact(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: true, ...values };
}

/** What is not known, and why. */
export function unknown(kind: FactKind, sentence: string, values: Partial<Fact> = {}): Fact {
  return { kind, sentence, isKnown: false, ...values };
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
