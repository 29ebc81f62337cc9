/** How late a run began, and why as far as it is recorded. */

import type { Fact, Records } from './facts.ts';
import { counted } from '../../../domain/counted.ts';
import { fact, lengthText, unknown } from './words.ts';
import { timeIn } from '../../../domain/schedule/local-time.ts';

/** A run that begins within this is on time, in milliseconds. */
export const onTimeMs = 1_000;

/** How late the run of the due time was claimed, in milliseconds; null if it was not. */
export function latenessOfRun({ run }: Pick<Records, 'run'>): number | null {
  if (run === null || run.startedAt === null) return null;
  return Math.max(0, run.startedAt - run.scheduledFor);
}

/** The lateness of the run, and its causes. */
export function latenessFacts(records: Records): Fact[] {
  const lateMs = latenessOfRun(records);
  const { run, job } = records;
  if (lateMs === null || run === null || run.startedAt === null) return [];
  const { startedAt: at, id: runId } = run;
  const due = `due ${timeIn(run.scheduledFor, job.timezone)}, claimed ${timeIn(at, job.timezone)}`;
  if (lateMs < onTimeMs) {
    const sentence = `It began on time, ${lengthText(lateMs)} after it was due.`;
    return [fact('late', sentence, { runId, lateMs, at })];
  }
  const sent = 'Its first attempt is sent right after the claim; that moment is not recorded.';
  const late = fact('late', `It began ${lengthText(lateMs)} late: ${due}. ${sent}`, {
    runId,
    lateMs,
    at,
  });
  const causes = causesOf(records, run.scheduledFor, at);
  const why =
    'Why it began late is not recorded. It may be busy slots, a slow database, a suspended machine or a clock change.';
  return [late, ...(causes.length > 0 ? causes : [unknown('cause', why)])];
}

/** Why the job could not begin between its due time and another time: only what was certainly so. */
export function causesOf(records: Records, dueAt: number, until: number): Fact[] {
  const { previous, startedAt, job, inFlight, slots } = records;
  const zone = job.timezone;
  const causes: Fact[] = [];
  const ended = previous?.finishedAt ?? null;
  if (previous !== null && ended !== null && ended > dueAt && ended <= until) {
    const sentence = `The run before it was in the way until ${timeIn(ended, zone)}: a job executes one run at a time.`;
    causes.push(fact('cause', sentence, { runId: previous.id, until: ended }));
  }
  if (startedAt > dueAt && startedAt <= until) {
    const sentence = `jobd was started at ${timeIn(startedAt, zone)}, after the due time.`;
    causes.push(fact('cause', sentence, { at: startedAt }));
  }
  if (inFlight === null) return causes;
  const { all, toHost, isPartial } = inFlight;
  if (toHost >= slots.perHost) {
    const sentence = `${allSlots(slots.perHost)} for calls to its host ${slots.perHost === 1 ? 'was' : 'were'} taken by jobs of this workspace.`;
    causes.push(fact('cause', sentence, { count: toHost }));
  } else if (all >= slots.all) {
    const sentence = `${allSlots(slots.all)} for calls ${slots.all === 1 ? 'was' : 'were'} taken by jobs of this workspace.`;
    causes.push(fact('cause', sentence, { count: all }));
  } else if (all > 0 || isPartial) {
    const least = isPartial ? 'At least ' : '';
    const calls = `${least}${counted(all, 'other call')} of this workspace`;
    const sentence = `${calls} ${all === 1 ? 'was' : 'were'} in flight when it was due, ${toHost} to the same host. How many slots other workspaces used is not recorded.`;
    causes.push(unknown('cause', sentence, { count: all }));
  }
  return causes;
}

function allSlots(count: number): string {
  return count === 1 ? 'The only slot' : `All ${count} slots`;
}
