/**
 * Reports of targets, after an answer of 202. They are kept here and nothing else: the engine ends the runs
 * (engine/runs/report.ts). The first report of a run counts, and is on the disk before it is acknowledged.
 *
 * Reports of one turn of the event loop share a transaction. Of progress the last one is kept: that of a run which has just
 * been written waits, together with what comes meanwhile, so a chatty target slows nobody but itself. Secrets are opened and
 * taken out for what is written alone.
 */

import { setTimeout } from 'node:timers/promises';
import type { ChangeFeed } from '../../domain/changes.ts';
import { isoTime } from '../../domain/clock.ts';
import { JobdError, unlessRefused } from '../../domain/errors.ts';
import { errorOf } from '../../domain/runs/reason.ts';
import type { SentReport } from '../../domain/runs/read-report.ts';
import { redact, secretTexts, spellingsOf } from '../../domain/secrets/redaction.ts';
import { openRequest } from '../../domain/secrets/sealed-job.ts';
import type { Run } from '../../domain/runs/run.ts';
import * as store from '../../store/runs/reports.ts';
import type { ReportedRun } from '../../store/runs/reports.ts';
import { holdRuns } from '../../store/runs/held.ts';
import type { Db } from '../../store/database/store.ts';
import { findRun } from '../../store/runs/runs.ts';
import type { Ground, Principal, RunsApp } from '../app.ts';
import { createBatcher } from '../../store/database/batches.ts';
import { changeBy } from '../change.ts';
import { writeConfirmed } from '../confirmed.ts';
import { requireJob } from '../jobs/keep-job.ts';
import { getRun } from './runs.ts';

export type { ReportedRun };

/** The run that a report is about, or undefined. */
export async function findReported(
  { store: { db } }: Pick<Ground, 'store'>,
  runId: string,
): Promise<ReportedRun | undefined> {
  return await store.findReportedRun(db, runId);
}

/** Says nothing of what is or was there: whoever asks may only guess. */
export function noReportedRun(): JobdError {
  return new JobdError('not_found', 'there is no run at this URL');
}

/** Progress of a run is written this often at most. */
const progressEveryMs = 500;

type KeeperParts = Pick<RunsApp, 'store' | 'clock' | 'vault' | 'wake' | 'reportTokens'> & {
  events: ChangeFeed;
};

/** A report that waits to be written, and who waits for that. */
interface Item {
  run: ReportedRun;
  report: SentReport;
  at: number;
  readonly resolve: (isKept: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Makes what keeps reports. Its promise resolves when the report is on the disk. It rejects with `conflict` if the run is over
 * or was reported before, with `not_found` if its job was deleted, and with `unavailable` if the store cannot be written.
 */
export function createReportKeeper(
  parts: KeeperParts,
): (run: ReportedRun, report: SentReport) => Promise<void> {
  const { clock } = parts;
  const fail = ({ reject }: Item, error: unknown): void => reject(error);
  const keepEnds = createBatcher<Item>((batch) => keepBatch(parts, batch, keepEndsOf), fail);
  /** By run: resolves when its progress may be written again. */
  const rests = new Map<string, Promise<void>>();
  const keepProgress = createBatcher<Item>(async (batch) => {
    try {
      await keepBatch(parts, batch, keepProgressOf);
    } finally {
      for (const runId of new Set(batch.map(({ run }) => run.runId))) rests.set(runId, rest(runId));
    }
  }, fail);
  async function rest(runId: string): Promise<void> {
    await setTimeout(progressEveryMs, undefined, { ref: false });
    rests.delete(runId);
  }

  return async (run, report) => {
    refuseIfOver(run);
    if (report.status === 'progress') await rests.get(run.runId);
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const item = { run, report, at: clock.now(), resolve, reject };
    (report.status === 'progress' ? keepProgress : keepEnds)(item);
    if (await promise) return;
    const refused = await findReported(parts, run.runId);
    if (refused === undefined) throw noReportedRun();
    refuseIfOver(refused, true);
  };
}

/** Writes a batch and answers those who wait. */
async function keepBatch(
  parts: KeeperParts,
  batch: readonly Item[],
  keep: (parts: KeeperParts, items: readonly Item[]) => Promise<boolean[]>,
): Promise<void> {
  // One of each run: of ends the first, which the others learn of, and of progress the last, which stands for the others.
  const chosen = new Map<string, Item>();
  for (const item of batch) {
    if (item.report.status === 'progress' || !chosen.has(item.run.runId)) {
      chosen.set(item.run.runId, item);
    }
  }
  const items = [...chosen.values()];
  const isKept = await keep(parts, items);
  const kept = new Set(items.filter((_, index) => isKept[index]));
  for (const item of batch) {
    const one = chosen.get(item.run.runId);
    const isSame = one === item || item.report.status === 'progress';
    item.resolve(one !== undefined && isSame && kept.has(one));
  }
  publish(parts, [...kept]);
}

async function keepEndsOf(parts: KeeperParts, items: readonly Item[]): Promise<boolean[]> {
  const reports = items.map(({ run, report: { status, message }, at }) => ({
    runId: run.runId,
    at,
    outcome: status === 'success' ? status : ('failed' as const),
    by: 'target' as const,
    message: redacted(parts, run, message),
  }));
  const isKept = await writeConfirmed(
    parts,
    (tx) => store.keepReports(tx, reports),
    (tx, isFirst) => isReportKept(tx, reports[isFirst.indexOf(true)]),
  );
  parts.wake('report');
  return isKept;
}

/** Whether a report is kept whose commit was not confirmed, and so those with it. Whoever may still be at it holds its run. */
async function isReportKept(tx: Db, report: store.KeptReport | undefined): Promise<boolean> {
  if (report === undefined) return true;
  await holdRuns(tx, [report.runId]);
  const found = await store.findReportedRun(tx, report.runId);
  return found?.reportedAt === report.at && found.outcome === report.outcome;
}

async function keepProgressOf(parts: KeeperParts, items: readonly Item[]): Promise<boolean[]> {
  const progress = items.map(({ run, report: { percent, message }, at }) => ({
    runId: run.runId,
    at,
    percent,
    line: redacted(parts, run, message),
  }));
  return await parts.store.write((tx) => store.keepProgress(tx, progress));
}

function publish({ events }: KeeperParts, kept: readonly Item[]): void {
  if (!events.isHeard) return;
  for (const { run } of kept) {
    const { runId: id, jobId, workspaceId } = run;
    events.publish(workspaceId, { runs: [{ id, jobId, status: 'running' }] });
  }
}

/** A message without the secrets of the job as it is now, and without the URL of the report. */
function redacted(
  { vault, reportTokens }: Pick<RunsApp, 'vault' | 'reportTokens'>,
  { runId, jobId: id, workspaceId, url, sealed }: ReportedRun,
  message: string | null,
): string | null {
  if (message === null) return null;
  const secrets = unlessRefused(() => openRequest({ id, workspaceId, url, sealed }, vault));
  // The end of the URL lets anybody who reads it end the run.
  const token = spellingsOf([reportTokens.tokenOf(runId)]);
  return redact(message, [...token, ...secretTexts(secrets?.headers ?? {})]);
}

/** Throws `conflict` if a report of this run comes too late; `isLate` if the store has refused it. */
function refuseIfOver(run: ReportedRun, isLate = false): void {
  const { runId, status, finishedAt, outcome, reportedAt } = run;
  if (status !== 'running' && finishedAt !== null) {
    const error = errorOf(run);
    const how = error === null ? status : `${status} (${error})`;
    throw new JobdError(
      'conflict',
      `run ${runId} is over: it ended as ${how} at ${isoTime(finishedAt)}`,
    );
  }
  if (outcome !== null && reportedAt !== null) {
    const when = isoTime(reportedAt);
    throw new JobdError(
      'conflict',
      `run ${runId} was reported before: ${outcome} at ${when}; the first report counts`,
    );
  }
  if (isLate) throw new JobdError('conflict', `run ${runId} is over`);
}

/** Ends the wait of a run in place of its target. Throws `not_found`, and `conflict` if the run does not wait for a report. */
export async function reportRun(
  app: RunsApp,
  principal: Principal,
  { jobId, runId }: { jobId: string; runId: string },
  report: SentReport,
): Promise<Run> {
  const { clock, events, wake } = app;
  const seen = await getRun(app, principal, jobId, runId);
  const { status } = report;
  const outcome = status === 'success' ? status : ('failed' as const);
  await changeBy(app, principal, async (tx, note) => {
    const job = await requireJob(tx, principal, jobId);
    const run = await findRun(tx, job.id, seen.id);
    if (run?.status !== 'running' || run.report === undefined) throw notWaiting(run ?? seen);
    const reported = await store.findReportedRun(tx, run.id);
    const message = reported === undefined ? null : redacted(app, reported, report.message);
    const kept = { runId: run.id, at: clock.now(), outcome, by: 'person' as const, message };
    const [isFirst = false] = await store.keepReports(tx, [kept]);
    if (!isFirst) throw new JobdError('conflict', `run ${run.id} was reported before`);
    note({ action: 'job.report', subject: job, runId: run.id });
  });
  wake('report');
  events.publish(principal.workspaceId, {
    runs: [{ id: seen.id, jobId: seen.jobId, status: 'running' }],
  });
  return await getRun(app, principal, jobId, runId);
}

function notWaiting({ id, status, finishedAt }: Run): JobdError {
  if (status === 'queued') return new JobdError('conflict', `run ${id} has not begun`);
  const why =
    finishedAt === null
      ? 'its call is in flight'
      : `it ended as ${status} at ${isoTime(finishedAt)}`;
  return new JobdError('conflict', `run ${id} does not wait for a report: ${why}`);
}
