/**
 * Chained jobs: a job that runs after another one, instead of on a schedule of its own (docs/behavior.md#chain-1). Its
 * schedule is kept, and counts again once `after` is removed.
 */

import { someOf } from '../counted.ts';
import { invalidInput } from '../errors.ts';
import { isId } from '../id.ts';
import { quoted } from '../quote.ts';
import { longestChain, type AfterOn } from './after-words.ts';

/** The job whose runs start this one, and which of their ends do. */
export interface After {
  jobId: string;
  on: AfterOn;
}

/** The same as people give it: `on` is `success` unless they say otherwise. */
export interface AfterInput {
  jobId: string;
  on?: AfterOn;
}

/** The same in a definition: it names the job by its key, or by its id if it has none. */
export interface AfterDefinition {
  after?: string | null;
  afterOn?: AfterOn;
}

/** The `after` of a definition. Throws `invalid_input` for a condition without a job. */
export function definedAfter({ after = null, afterOn }: AfterDefinition): AfterInput | null {
  if (after !== null) return { jobId: after, ...(afterOn !== undefined && { on: afterOn }) };
  if (afterOn !== undefined) throw invalidInput('afterOn needs after, the job that it runs after');
  return null;
}

/** What is said of a longer one. */
export const tooLong = `after makes a chain too long: at most ${longestChain} jobs in a row`;

/** Whether a job has due times: one that is paused or runs after another has none. */
export function isOnSchedule({ paused, after }: { paused: boolean; after: After | null }): boolean {
  return !paused && after === null;
}

/** Reads `after` of a job. Throws `invalid_input` if it names the job itself. */
export function readAfter(after: AfterInput | null, ownId: string): After | null {
  if (after === null) return null;
  const id = after.jobId.toLowerCase();
  // Definitions name it by its key.
  const jobId = isId(id) ? id : after.jobId;
  if (jobId === ownId) throw invalidInput('after.jobId must be another job, got the job itself');
  return { jobId, on: after.on ?? 'success' };
}

/** Whether two jobs run after the same job, under the same condition. */
export function sameAfter(one: After | null, other: After | null): boolean {
  return one?.jobId === other?.jobId && one?.on === other?.on;
}

/** Ids in an order in which each job comes before the one that it runs after. */
export function followersFirst(
  ids: readonly string[],
  jobs: readonly { id: string; after: After | null }[],
): string[] {
  const afterOf = new Map(jobs.map(({ id, after }) => [id, after?.jobId]));
  const place = (id: string): number => {
    let length = 0;
    for (let before = afterOf.get(id); before !== undefined; before = afterOf.get(before)) {
      if (length++ >= longestChain) break;
    }
    return length;
  };
  return ids.toSorted((one, other) => place(other) - place(one));
}

/** Names in a sentence; more are counted. */
const mostNames = 5;

/** Why a job cannot be deleted: these run after it, and would never run again. */
export function followedWords(names: readonly string[]): string {
  const [run, them, job] =
    names.length === 1 ? ['runs', 'it', quoted(names[0] ?? '')] : ['run', 'them', 'JOB'];
  return `${someOf(names, mostNames)} ${run} after this job: delete ${them} first or together with it, or end that with after: null (jobd jobs update ${job} --no-after)`;
}
