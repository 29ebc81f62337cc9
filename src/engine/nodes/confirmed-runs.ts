/**
 * What a database on a server confirmed to this node in the last minutes: which calls it began, and how they ended. After the
 * database may have lost commits, it is asked whether it still knows them (docs/decisions/0050-nodes.md#nodes-notice-that-a-database-lost-what-it-had-confirmed).
 */

import type { Clock } from '../../domain/clock.ts';
import type { RunStatus } from '../../domain/runs/run.ts';
import type { Db } from '../../store/database/store.ts';
import { findForgotten, type ConfirmedRun } from '../../store/runs/forgotten.ts';

/** A copy that takes over lacks seconds, not minutes. */
const keptForMs = 300_000;
/** About 10 MB. */
const mostRuns = 50_000;

/** How many runs the database does not know as it confirmed them. */
export interface ForgottenRuns {
  /** Called, but not on record: they may be called again. */
  calls: number;
  /** On record as interrupted, or about to be, although their outcomes were known. */
  outcomes: number;
}

/** A run of a claim. */
export interface BegunRun {
  runId: string;
  jobId: string;
  /** Its due time, or when it was asked for, in epoch milliseconds. */
  scheduledFor: number;
}

interface Remembered extends ConfirmedRun {
  /** By the monotonic clock. */
  atMs: number;
  /** Whether its call was answered, although the run continues: its target reports later. */
  isAnswered?: true;
  /** Whether it was counted as lost. */
  isForgotten: boolean;
}

/** A memory of the runs of this node. */
export class ConfirmedRuns {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** By id, those that were confirmed longest ago first. */
  readonly #runs = new Map<string, Remembered>();

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
  }

  /** The claims of these runs are committed. */
  began(runs: Iterable<BegunRun>): void {
    for (const run of runs) this.#keep(run, 'running');
  }

  /** The outcomes of these runs are committed. */
  ended(runs: Iterable<{ claimed: BegunRun; ended: { status: RunStatus } }>): void {
    for (const { claimed, ended } of runs) this.#keep(claimed, ended.status);
  }

  /** The answers of these runs are committed; their targets report later. */
  answered(runIds: Iterable<string>): void {
    for (const id of runIds) {
      const run = this.#runs.get(id);
      if (run !== undefined) run.isAnswered = true;
    }
  }

  /** Whether the database confirmed how the call of this run ended. */
  knowsEnd(runId: string): boolean {
    const run = this.#runs.get(runId);
    return run !== undefined && (run.isAnswered === true || run.status !== 'running');
  }

  /** Asks the database for them. What it has forgotten is counted once. */
  async countForgotten(db: Db): Promise<ForgottenRuns> {
    this.#dropOld();
    const asked = [...this.#runs.values()].filter(({ isForgotten }) => !isForgotten);
    const { calls, outcomes } = await findForgotten(db, asked);
    const forgotten = new Set([...calls, ...outcomes]);
    for (const run of asked) run.isForgotten = forgotten.has(run.id);
    return { calls: calls.length, outcomes: outcomes.length };
  }

  #keep({ runId: id, jobId, scheduledFor }: BegunRun, status: RunStatus): void {
    const atMs = this.#clock.monotonicMs();
    this.#runs.delete(id);
    this.#runs.set(id, { id, jobId, scheduledFor, status, atMs, isForgotten: false });
    if (this.#runs.size > mostRuns) this.#dropOldest();
  }

  #dropOldest(): void {
    const [oldest] = this.#runs.keys();
    if (oldest !== undefined) this.#runs.delete(oldest);
  }

  #dropOld(): void {
    const sinceMs = this.#clock.monotonicMs() - keptForMs;
    for (const { id, atMs } of this.#runs.values()) {
      if (atMs >= sinceMs) return;
      this.#runs.delete(id);
    }
  }
}
