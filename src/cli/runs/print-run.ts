/** A run as `jobd runs get` and others print it. */

import type { Run } from '../../api/runs/contract.ts';
import { JobdError } from '../../domain/errors.ts';
import { reportWords } from '../../domain/runs/report.ts';
import { originOf } from '../../domain/runs/run.ts';
import type { Api } from '../client/api.ts';
import { moment, state } from '../terminal/cell.ts';
import { printFields, type Output } from '../terminal/output.ts';
import { plain, plainLines } from '../terminal/text.ts';

function previewText({ truncated, responseBody }: Run): string | null {
  return truncated ? `${responseBody ?? ''}…` : responseBody;
}

/** The job of a run. Its call is shown if it is known: the one of now, as a run does not keep the one it made. */
interface JobOfRun {
  name: string;
  method?: string;
  url?: string;
  /** The name of the job whose run started it; null if that job is gone. */
  firstJob?: string | null;
}

/** The name of the job whose run started this one; null if it is gone, or none did. */
export async function firstJobOf({ jobs }: Api, { causedBy }: Run): Promise<string | null> {
  if (causedBy === undefined) return null;
  try {
    return (await jobs.get(causedBy.jobId)).name;
  } catch (error) {
    if (error instanceof JobdError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Prints the fields of a run; on a terminal, followed by the lines of its response. */
export function printRun(
  output: Output,
  run: Run,
  { name, method, url, firstJob }: JobOfRun,
): void {
  const { durationMs, error, report, dueAt } = run;
  printFields(output, {
    job: name,
    ...(url !== undefined && { 'calls now': `${method} ${url}` }),
    status: state(run.status),
    source: sourceOf(run, firstJob),
    'scheduled for': moment(run.scheduledFor),
    ...(dueAt !== undefined && { 'stands for': moment(dueAt) }),
    started: moment(run.startedAt),
    finished: moment(run.finishedAt),
    duration: durationMs === null ? null : `${durationMs} ms`,
    attempts: run.attempts,
    http: run.httpStatus,
    ...(report !== undefined && {
      report: reportWords(report, plain),
    }),
    ...(error !== null && { error }),
    id: run.id,
    ...(!output.isTerminal && { response: previewText(run) }),
  });
  if (output.isTerminal && run.responseBody !== null) {
    output.data('');
    for (const line of plainLines(previewText(run) ?? '')) output.data(line);
  }
  if (report?.outcome === null && run.status === 'running') output.say(howToEnd(run));
}

function sourceOf(run: Run, firstJob: string | null = null): string {
  const { source, causedBy, jobId } = run;
  if (causedBy === undefined) return originOf(run, jobId) === 'replay' ? 'replay' : source;
  return originOf(run, jobId) === 'make_up'
    ? `makes up for missed run ${causedBy.runId}`
    : `after ${firstJob ?? `job ${causedBy.jobId}`} run ${causedBy.runId}`;
}

/** How a person ends the wait of a run. */
export function howToEnd({ jobId, id }: Pick<Run, 'jobId' | 'id'>): string {
  return `to end the wait in place of the target: jobd runs report ${jobId} ${id}, with --fail for a failure`;
}
