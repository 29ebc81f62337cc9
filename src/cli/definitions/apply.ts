/** Carrying out a plan: what files define first, and only if all of that went well, what they no longer define. */

import type { DefinitionResult } from '../../api/jobs/contract.ts';
import type { Ask } from '../client/client.ts';
import type { Plan } from './plan.ts';
import type { Progress } from './progress.ts';
import { sendWishes, wishOf } from './server.ts';
import type { Wish } from './server.ts';

export interface Carried {
  /** What became of what was sent, in the order of the keys; deletions are last. */
  results: DefinitionResult[];
  /** The keys of what was not sent, or not answered. Applying again goes on with them. */
  left: string[];
  /** Why it stopped; null if it came to the end. */
  failure: unknown;
}

/** Carries out what a plan would change. Never rejects. */
export async function carryOut(
  ask: Ask,
  { changes, unlisted }: Plan,
  { prune, progress }: { prune: boolean; progress: Progress },
): Promise<Carried> {
  const wishes = changes
    .filter(({ result: { change, isAdopted } }) => change !== 'none' || isAdopted)
    .map(({ definition }) => wishOf(definition));
  const doomed = prune ? unlisted.map(({ key }): Wish => ({ key, job: null })) : [];
  const total = wishes.length + doomed.length;
  const results: DefinitionResult[] = [];
  const sent = (before: number) => (count: number) => progress.at(before + count, total);
  const left = (): string[] => [...wishes, ...doomed].slice(results.length).map(({ key }) => key);
  try {
    const made = sendWishes(ask, wishes, { dryRun: false, sent: sent(0) });
    for await (const result of made) results.push(result);
    if (results.some(({ refusal }) => refusal !== null))
      return { results, left: left(), failure: null };
    const removed = sendWishes(ask, doomed, { dryRun: false, sent: sent(wishes.length) });
    for await (const result of removed) results.push(result);
    return { results, left: [], failure: null };
  } catch (failure) {
    return { results, left: left(), failure };
  } finally {
    progress.end();
  }
}
