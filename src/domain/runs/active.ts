import { timeIn } from '../schedule/local-time.ts';
import { progressWords } from './report.ts';
import { isWaiting, type Run } from './run.ts';

/** The run under way, in a clause. */
export function activeWords(active: Run | null, zone: string): string {
  if (active === null || !isWaiting(active)) return 'a run of it is executing now';
  const { id, report, startedAt } = active;
  const begun = startedAt === null ? '' : ` began at ${timeIn(startedAt, zone)},`;
  const words = `run ${id}${begun} was answered ${active.httpStatus} and waits for the report of its target`;
  if (report === undefined) return words;
  const progress = progressWords(report);
  const at = report.progressAt === null ? '' : ` at ${timeIn(report.progressAt, zone)}`;
  const last = progress === null ? '' : ` (last progress${at}: ${progress})`;
  return `${words}, until ${timeIn(report.expiresAt, zone)} at the latest${last}`;
}
