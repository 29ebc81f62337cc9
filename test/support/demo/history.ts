/** The runs of a demo: claimed, recorded and counted as the engine does, at times that are past. */

import { msPerDay } from '../../../src/domain/clock.ts';
import { newId } from '../../../src/domain/id.ts';
import { defineJob } from '../../../src/domain/jobs/job-input.ts';
import type { Missed } from '../../../src/domain/runs/reason.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { scheduleOf } from '../../../src/domain/schedule/schedule.ts';
import type { Schedule } from '../../../src/domain/schedule/schedule.ts';
import { interruptedRun } from '../../../src/engine/runs/execution.ts';
import { recordBatch } from '../../../src/engine/runs/record.ts';
import { runJob } from '../../../src/app/runs/runs.ts';
import { findJob } from '../../../src/store/jobs/jobs.ts';
import * as claims from '../../../src/store/runs/claims.ts';
import type { EndedRun } from '../../../src/store/runs/results.ts';
import type { Db } from '../../../src/store/database/store.ts';
import type { Called } from './calls.ts';
import { outages } from './jobs.ts';
import type { DemoJob } from './jobs.ts';
import { minuteMs } from './world.ts';
import type { Moment, World } from './world.ts';

/** The history is this long. */
const historyMs = 30 * msPerDay;

/** A due time and what came of it: missed with others, interrupted at a time, or called. */
interface Past {
  dueAt: number;
  startedAt: number;
  endedAt: number;
  result: Missed | 'interrupted' | Called;
}

/** All runs of a job as moments; `idOf` returns its id once it exists. */
export function historyOf(world: World, job: DemoJob, idOf: () => string): Moment[] {
  const { createdAt, input } = job;
  const { allowTargets } = world.app;
  const at = { id: '', workspaceId: '', now: createdAt, allowTargets };
  const schedule = scheduleOf(defineJob(input, at));
  let failures = 0;
  const moments = pastOf(world, job, schedule).map((past) => ({
    at: past.endedAt,
    happen: () => world.local.store.write((tx) => keep(tx, past)),
  }));
  if (job.ranAt === undefined) return moments;
  return [...moments, { at: job.ranAt, happen: () => runByHand(world, job, idOf()) }];

  async function keep(tx: Db, { dueAt, startedAt, endedAt, result }: Past): Promise<void> {
    const jobId = idOf();
    const id = newId(startedAt);
    if (typeof result === 'object' && 'count' in result) {
      const missed = { ...result, from: null, until: null };
      const run = { id, jobId, scheduledFor: dueAt, reason: 'not_running', missed } as const;
      await claims.insertScheduledRuns(tx, [run]);
      const nextRunAt = nextDue(schedule, result.last);
      const claim = { id: jobId, nextRunAt, activeRunId: null, startedAt: null, missed: 1 };
      await claims.updateClaimedJobs(tx, [claim]);
      return;
    }
    const begun = { id, jobId, scheduledFor: dueAt, startedAt, nodeId: null };
    await claims.insertScheduledRuns(tx, [begun]);
    const nextRunAt = nextDue(schedule, dueAt);
    await claims.updateClaimedJobs(tx, [
      { id: jobId, nextRunAt, activeRunId: id, startedAt, missed: 0 },
    ]);
    const ended = endedRun({ runId: id, jobId }, result, endedAt);
    await recordEnded(tx, world, ended, failures);
    if (ended.status !== 'interrupted') failures = ended.status === 'failed' ? failures + 1 : 0;
  }
}

/** What came of each due time of a job, the oldest first. */
function pastOf({ nowMs, random }: World, job: DemoJob, schedule: Schedule): Past[] {
  // No run is in flight when somebody pauses.
  const until = job.pausedAt === undefined ? nowMs - 1_000 : job.pausedAt - minuteMs;
  const past: Past[] = [];
  const dues: number[] = [];
  // What is rarely due has a longer history: it would be almost empty otherwise.
  const rare = (nextDue(schedule, nowMs - historyMs) ?? nowMs) > nowMs - historyMs + 2 * msPerDay;
  let due = nextDue(schedule, rare ? job.createdAt : Math.max(job.createdAt, nowMs - historyMs));
  for (; due !== null && due < until; due = nextDue(schedule, due)) dues.push(due);
  for (const [index, dueAt] of dues.entries()) {
    const outage = outages
      .map(({ from, to }) => ({ from: nowMs - from, to: nowMs - to }))
      .find(({ from, to }) => dueAt > from - msPerDay && dueAt < to && from < until);
    const startedAt = dueAt + 2 + Math.floor(random() * 12);
    if (outage !== undefined && dueAt >= outage.from) {
      const last = past.at(-1);
      if (last !== undefined && isMissed(last.result) && last.endedAt === outage.to + 900) {
        last.result = { ...last.result, last: dueAt, count: last.result.count + 1 };
        continue;
      }
      const result = { first: dueAt, last: dueAt, count: 1 };
      past.push({ dueAt, startedAt, endedAt: outage.to + 900, result });
      continue;
    }
    const called = job.calls({ agoMs: nowMs - dueAt, left: dues.length - 1 - index, random });
    // What began just now has ended, too: a demo begins with no run in flight.
    const endedAt = Math.min(startedAt + called.durationMs, nowMs - 400);
    const durationMs = endedAt - startedAt;
    const isCut = outage !== undefined && startedAt < outage.from && endedAt > outage.from;
    past.push(
      isCut
        ? { dueAt, startedAt, endedAt: outage.to, result: 'interrupted' }
        : { dueAt, startedAt, endedAt, result: { ...called, durationMs } },
    );
  }
  return past;
}

function isMissed(result: Past['result']): result is Missed {
  return typeof result === 'object' && 'count' in result;
}

function endedRun(
  of: Pick<EndedRun, 'runId' | 'jobId'>,
  result: 'interrupted' | Called,
  finishedAt: number,
): EndedRun {
  if (result === 'interrupted') {
    const detail = 'the process that executed it ended before the outcome was known';
    const why = { reason: 'cut_off', detail } as const;
    return interruptedRun(of, { why, attempts: 1, finishedAt });
  }
  const { outcome, durationMs, attempts } = result;
  return { ...of, ...outcome, finishedAt, durationMs, attempts };
}

async function recordEnded(
  tx: Db,
  { workspaceId }: World,
  ended: EndedRun,
  failures: number,
): Promise<void> {
  const executions = [
    { ended, claimed: { workspaceId, failures, scheduledFor: ended.finishedAt } },
  ];
  await recordBatch(tx, { executions, attempts: [] }, { receipts: true });
}

/** Somebody runs a job that is up. */
async function runByHand(world: World, job: DemoJob, jobId: string): Promise<void> {
  const { app, owner, clock, random, local } = world;
  const run = await runJob(app, owner, jobId, null);
  const called = job.calls({ agoMs: world.nowMs - clock.now(), left: 0, random });
  const startedAt = clock.now() + 3;
  await local.store.write(async (tx) => {
    await claims.startQueuedRuns(tx, [{ id: run.id, startedAt, nodeId: null }]);
    const nextRunAt = (await findJob(tx, world.workspaceId, jobId))?.nextRunAt ?? null;
    await claims.updateClaimedJobs(tx, [
      { id: jobId, nextRunAt, activeRunId: run.id, startedAt, missed: 0 },
    ]);
    const finishedAt = startedAt + called.durationMs;
    await recordEnded(tx, world, endedRun({ runId: run.id, jobId }, called, finishedAt), 0);
  });
}
