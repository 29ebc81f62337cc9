/** The column of a list of jobs that says when each runs. */

import type { Job } from '../../api/jobs/contract.ts';
import { afterOnVerbs } from '../../domain/jobs/after-words.ts';
import type { Api } from '../client/api.ts';
import { scheduleText } from '../schedule/schedule-options.ts';

type Listed = Pick<
  Job,
  'id' | 'name' | 'after' | 'runAt' | 'scheduleType' | 'cronExpr' | 'timezone' | 'periodSeconds'
>;

/** Makes the column: a schedule, or the job that a job runs after, by its name. */
export async function scheduleColumn(
  api: Api,
  listed: readonly Listed[],
): Promise<(job: Listed) => string> {
  const names = new Map(listed.map(({ id, name }) => [id, name]));
  // A list of jobs in one state may lack those that they run after.
  if (listed.some(({ after }) => after !== undefined && !names.has(after.jobId))) {
    for await (const { id, name } of api.jobs.list()) names.set(id, name);
  }
  return (job) => {
    const { after } = job;
    if (after === undefined) return scheduleText(job);
    return `after ${names.get(after.jobId) ?? 'a job that is gone'} ${afterOnVerbs[after.on]}`;
  };
}
