/** A run as its page tells it: a sentence, its moments, what took how long. */

import type { Run } from '../../api/runs/contract.ts';
import { becauseOf, readWhy, type Why } from '../../domain/runs/reason.ts';
import { originOf } from '../../domain/runs/run.ts';
import { duration, span } from './figures.ts';
import { clock, dayIn } from './times.ts';

/** The fields of a run that tell what happened. */
export type ToldRun = Omit<Run, 'id' | 'jobId' | 'responseBody' | 'truncated'>;

/** Whether more will happen to the run. */
export function isUnderWay({ status }: Pick<Run, 'status'>): boolean {
  return status === 'queued' || status === 'running';
}

/** The due time for which a run that was no success is called again; null for a run that has none, or need not be. */
export function dueTimeOf(run: Pick<Run, 'status' | 'source' | 'scheduledFor' | 'dueAt' | 'why'>) {
  if (isUnderWay(run) || run.status === 'success') return null;
  const own = run.source === 'scheduled' ? run.scheduledFor : null;
  return run.dueAt ?? run.why?.lastDueAt ?? own;
}

/** How a run of a job came to be. */
export function originWords(
  run: Pick<Run, 'source' | 'causedBy' | 'dueAt'>,
  jobId: string,
): string {
  return {
    schedule: 'by schedule',
    hand: 'by hand',
    replay: 'replay',
    after: 'after another job',
    make_up: 'makes up',
  }[originOf(run, jobId)];
}

/** A sentence in three parts: the error is from outside, and the page shows it as such. */
export type RunSentence = readonly [before: string, error: string | null, after: string];

/** What happened and why, in one sentence. Why due times were missed is beside them. */
export function runSentence(run: ToldRun, nowMs: number): RunSentence {
  const { status, httpStatus, attempts, report } = run;
  if (status === 'failed') {
    const answered = `the target answered HTTP ${httpStatus}`;
    const tries = `${attempts > 1 ? `, ${attempts} attempts` : ''}.`;
    if (run.why?.reason === 'http') return [`Failed: ${answered}`, null, tries];
    const where = report === undefined ? '' : ` after ${answered}`;
    return [`Failed${where}${run.error === null ? '' : ': '}`, run.error, tries];
  }
  if (status === 'interrupted') {
    const why = whyOf(run);
    return ['Interrupted: ', why === null ? 'it ended without an answer' : becauseOf(why), '.'];
  }
  return [goodSentence(run, nowMs), null, ''];
}

/** Of a run that did not fail, as far as jobd knows. */
function goodSentence(run: ToldRun, nowMs: number): string {
  const { status, httpStatus, durationMs, attempts, startedAt, report } = run;
  if (status === 'queued')
    return 'Queued: it begins once no run of the job executes and a slot is free.';
  if (status === 'missed') return 'Missed: it was not called.';
  if (status === 'running') {
    const since = startedAt === null ? '' : ` for ${span(nowMs - Date.parse(startedAt))}`;
    if (report !== undefined) {
      return `Running${since}: the target answered HTTP ${httpStatus} and works on.`;
    }
    return `Running${since}${attempts > 1 ? `, attempt ${attempts}` : ''}.`;
  }
  const took = durationMs === null ? '' : ` in ${duration(durationMs)}`;
  const tries = attempts > 1 ? `, at attempt ${attempts}` : '';
  if (report !== undefined) {
    const who = report.reportedBy === 'person' ? 'a person' : 'it';
    return `Success: the target answered HTTP ${httpStatus}, and ${who} reported a success${took.replace(' in ', ' after ')}.`;
  }
  return `Success: the target answered HTTP ${httpStatus}${took}${tries}.`;
}

/** A moment in the life of a run. */
export interface Moment {
  word: string;
  at: string;
  /** The day, if it is not that of the moment before. */
  day: string | null;
  /** With milliseconds. */
  clock: string;
  /** How it follows from the moment before. */
  note: string;
}

/** The moments that are known, in their order. `zone` is that of the job. */
export function moments(run: ToldRun, nowMs: number, zone?: string): Moment[] {
  const { source, scheduledFor, startedAt, finishedAt, durationMs, status } = run;
  const due = Date.parse(scheduledFor);
  const isByHand = source === 'manual';
  const known: [word: string, at: string | null, note: string][] = [
    [isByHand ? 'Asked for' : 'Due', scheduledFor, ''],
    ['Began', startedAt, startedAt === null ? '' : lateness(Date.parse(startedAt) - due, isByHand)],
    [
      status === 'interrupted' ? 'Closed' : 'Ended',
      finishedAt,
      durationMs === null ? '' : `took ${duration(durationMs)}`,
    ],
  ];
  let dayBefore = '';
  return known.flatMap(([word, at, note]) => {
    if (at === null) return [];
    const day = dayIn(at, nowMs, zone);
    const isOther = day !== dayBefore;
    dayBefore = day;
    return [
      { word, at, day: isOther ? day : null, clock: clock(at, zone, { withMs: true }), note },
    ];
  });
}

function lateness(ms: number, isByHand: boolean): string {
  if (ms <= 0) return isByHand ? 'at once' : 'on time';
  return isByHand ? `waited ${duration(ms)}` : `${duration(ms)} late`;
}

/** The due times that a missed run stands for. */
export interface MissedTimes {
  count: number;
  first: string;
  last: string;
}

/** The due times of a missed run; null for any other. */
export function missedTimes(run: Pick<Run, 'scheduledFor' | 'why'>): MissedTimes | null {
  const { scheduledFor: first, why } = run;
  if (why?.lastDueAt === undefined || why.count === undefined) return null;
  return { count: why.count, first, last: why.lastDueAt };
}

/** Why a run was no success; null for one without a reason. */
export function whyOf({ why, scheduledFor: dueAt, httpStatus }: FailedRun): Why | null {
  return why === undefined ? null : readWhy(why, { dueAt, httpStatus });
}

type FailedRun = Pick<Run, 'scheduledFor' | 'httpStatus' | 'why'>;

/** Why there is no receipt; null if there should be one. */
export function whyNoReceipt(run: Pick<Run, 'status' | 'httpStatus'>): string | null {
  if (isUnderWay(run)) return 'It is signed when the run has ended with an HTTP answer.';
  if (run.status === 'missed') return 'None: nothing was called.';
  if (run.status === 'interrupted') return 'None: nobody knows what came of the call.';
  return run.httpStatus === null ? 'None: there was no HTTP answer to sign.' : null;
}
