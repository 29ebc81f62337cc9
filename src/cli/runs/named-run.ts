/** A run of a job by what a person typed: its id, the beginning of its id, `latest`, or a status. */

import type { Run } from '../../api/runs/contract.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';
import { isId, timeOfId } from '../../domain/id.ts';
import { runStatuses, type RunStatus } from '../../domain/runs/run.ts';
import type { Api } from '../client/api.ts';
import { sinceOrUntil } from '../terminal/cell.ts';
import { take } from './list.ts';

/** What the argument of a run may be. */
export const runArgument = 'id of the run or its beginning, latest, failed or another status';

/** With the milliseconds of its id, a run is found among those around that time. */
const prefixPattern = /^[0-9a-f]{8}-[0-9a-f]{4}[0-9a-f-]{0,22}$/i;

interface NamedJob {
  id: string;
  name: string;
}

/** Finds the id of a run. Throws `not_found`, and `invalid_input` if several ids begin so. */
export async function findRunId({ runs }: Api, job: NamedJob, text: string): Promise<string> {
  const word = text.toLowerCase();
  if (isId(word)) return word;
  if (word === 'latest' || runStatuses.includes(word as RunStatus)) {
    const status = word === 'latest' ? null : word;
    for await (const { id } of runs.history(job.id, { status })) return id;
    const kept = (await take(runs.history(job.id, {}), pageSize)).length;
    throw new JobdError('not_found', noneOf(job, status, kept));
  }
  if (!prefixPattern.test(word)) {
    throw new JobdError(
      'invalid_input',
      `a run is named by its id, 13 characters of it or more, latest, or a status (${runStatuses.join(', ')}); got ${text}`,
    );
  }
  const before = isoTime(timeOfId(word) + 1);
  const begun = await take(runs.history(job.id, { before }), pageSize);
  const found = begun.filter(({ id }) => id.startsWith(word));
  const [first, ...others] = found;
  if (first !== undefined && others.length === 0) return first.id;
  if (first === undefined) {
    throw new JobdError(
      'not_found',
      `${job.name} has no run whose id begins with ${text}, or it is not kept any more`,
    );
  }
  const now = Date.now();
  throw new JobdError(
    'invalid_input',
    `the ids of ${found.length} runs begin with ${text}: use more of it`,
    {
      notes: found.map(
        ({ id, status, scheduledFor }) => `${id}  ${status}  ${sinceOrUntil(scheduledFor, now)}`,
      ),
    },
  );
}

/** At most one page is counted: more is only said to be more. */
function noneOf({ name }: NamedJob, status: string | null, kept: number): string {
  if (status === null || kept === 0) return `${name} has no runs yet, or none is kept any more`;
  const number = kept < pageSize ? `${kept}` : `${pageSize} or more`;
  return `${name} has no ${status} run among the ${number} kept`;
}

/** Finds a run with its answer. Throws as `findRunId` does. */
export async function findRun(api: Api, job: NamedJob, text: string): Promise<Run> {
  return await api.runs.get(job.id, await findRunId(api, job, text));
}

/** The runs of the minute before an id was made are on the first page. */
const pageSize = 100;
