import { timeIn } from '../schedule/local-time.ts';
import { progressWords } from './completion.ts';
import { isAwaiting, type Run } from './run.ts';

/** The run under way, in a clause. */
export function activeWords(active: Run | null, zone: string): string {
  if (active === null || !isAwaiting(active)) return 'a run of it is executing now';
  const { id, completion, startedAt } = active;
  const begun = startedAt === null ? '' : ` began at ${timeIn(startedAt, zone)},`;
  const words = `run ${id}${begun} was answered ${active.httpStatus} and waits for the report of its target`;
  if (completion === undefined) return words;
  const progress = progressWords(completion);
  const at = completion.progressAt === null ? '' : ` at ${timeIn(completion.progressAt, zone)}`;
  const last = progress === null ? '' : ` (last progress${at}: ${progress})`;
  return `${words}, until ${timeIn(completion.expiresAt, zone)} at the latest${last}`;
}
