/** The next due times of a job, printed after its fields. */

import type { Job } from '../../api/jobs/contract.ts';
import { isoTime, systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Api } from '../client/api.ts';
import { optionWords } from '../client/option-words.ts';
import type { Output } from '../terminal/output.ts';

const count = 3;

/**
 * Prints them in the zone of the job, for an interval in that of this machine, and in UTC, with notes: a table for people, one line
 * per zone for programs. Prints nothing for a job that is not on its schedule, or whose zone this machine does not know.
 */
export async function printDueTimes(output: Output, job: Job, api: Api): Promise<void> {
  if (job.paused || job.after !== undefined) return;
  const asked = await api.jobs.dueTimes(job.id, count).catch((error: unknown) => {
    // What was asked for is done. A script that repeated it would make it twice.
    if (error instanceof JobdError)
      return output.say(`the due times are not shown: ${error.message}`);
    throw error;
  });
  if (asked === undefined) return;
  const { next: times, notes: said } = asked;
  const notes = said.map(optionWords);
  const timezone = await zoneFor(job);
  if (timezone === null) return;
  const next = times.map((time) => Date.parse(time)).filter((at) => !Number.isNaN(at));
  if (output.isTerminal && next.length > 0) {
    const { printPreview } = await import('../schedule/preview.ts');
    output.data('');
    printPreview(output, { next, notes, from: systemClock.now(), timezone }, { sinceNow: true });
    return;
  }
  const { localIsoTime } = await import('../../domain/schedule/local-time.ts');
  if (next.length > 0) {
    output.data(`next runs\t${next.map(isoTime).join(' ')}`);
    output.data(`next runs local\t${next.map((at) => localIsoTime(at, timezone)).join(' ')}`);
  }
  for (const note of notes) output.say(note);
}

/** The zone in which the due times of a job are shown; null if this machine does not know it. */
async function zoneFor({ scheduleType, timezone }: Job): Promise<string | null> {
  const { shownZone, zoneIn } = await import('../schedule/machine-zone.ts');
  return scheduleType === 'period' ? shownZone() : zoneIn(timezone);
}
