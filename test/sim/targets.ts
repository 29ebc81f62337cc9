/**
 * What is called: the targets of jobs and the receiver of alerts, and the egress of each node, which reaches them in virtual time. A
 * target behaves as the first part of its path says; what arrived is the truth that rules compare with the database.
 */

import { readReport, type GivenReport } from '../../src/domain/runs/read-report.ts';
import { JobdError } from '../../src/domain/errors.ts';
import type { AttemptResult, Failure } from '../../src/domain/runs/outcome.ts';
import type { Call, Egress } from '../../src/egress/egress.ts';
import { Deadline, Deadlines } from '../../src/egress/deadline.ts';
import { findReported } from '../../src/app/runs/reports.ts';
import type { Heard } from '../support/checks/alert-truth.ts';
import type { SimulatedNode } from './node.ts';
import type { Plan } from './plan.ts';
import { as, world } from './world.ts';

/** How targets behave. */
export const manners = [
  'quick',
  'slow',
  'fail',
  'flap',
  'never',
  'refuse',
  'reset',
  'later',
] as const;

/** A call of a job that arrived. */
export interface Arrival {
  runId: string;
  /** The due time that the call says it is for. */
  scheduledFor: string;
  path: string;
  at: number;
  by: string;
}

/** A result of a run, or a digest of several, as a receiver got it. */
export interface Posted {
  type: string;
  webhookId: string;
  /** The run of a result, and its state; how many runs a digest is of. */
  runId: string;
  status: string;
  count: number;
  body: string;
  isAcknowledged: boolean;
}

/** What a receiver of alerts and results is sent. */
interface Message {
  type: string;
  data: { job?: { id: string }; run?: { id: string; status: string }; runs?: { count: number } };
}

/** An answer, and when it comes; null if none does. */
type Answer = { inMs: number; result: AttemptResult } | null;

export class Targets {
  readonly arrivals: Arrival[] = [];
  /** Alerts of health changes, by the paths of their receivers. */
  readonly heard = new Map<string, Heard[]>();
  /** Results and digests. */
  readonly posted: Posted[] = [];
  /** What targets reported and jobd acknowledged, and when, by run. */
  readonly reported = new Map<string, { status: 'success' | 'failed'; at: number }>();
  /** Progress of runs: the last that was acknowledged, and the last that was sent. */
  readonly progress = new Map<string, { kept: number; asked: number; isSending: boolean }>();
  /** Runs whose targets try to report them, since when. */
  readonly reporting = new Map<string, number>();
  /** When the last answer to each run was there. */
  readonly answeredAt = new Map<string, number>();
  /** Called before an arrival is answered. */
  onArrival: (arrival: Arrival) => void = () => {};
  /** When everything answers well. */
  isCalm = false;
  readonly #plan: Plan;
  readonly #nodes: () => readonly SimulatedNode[];

  constructor(plan: Plan, nodes: () => readonly SimulatedNode[]) {
    this.#plan = plan;
    this.#nodes = nodes;
  }

  egressOf(node: SimulatedNode): Egress {
    return {
      prepare() {},
      useCallKeys() {},
      call: (call, signal) => this.#call(node, call, signal),
      [Symbol.asyncDispose]: async () => {},
    };
  }

  /** One attempt. Its steps are those of the node, which may be frozen or dead meanwhile. */
  async #call(node: SimulatedNode, call: Call, signal?: AbortSignal): Promise<AttemptResult> {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>();
    const deadline = new Deadline(call, { signal, running: new Deadlines(node.clock) });
    const onAbort = (): void => reject(signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    deadline.onOver(() => resolve(overdue(deadline)));
    deadline.phase = 'connecting';
    const dice = world().dice('targets');
    const path = new URL(call.url).pathname;
    const connecting = world().after(dice.between(0, this.#plan.connectMs), () => {
      if (deadline.over !== null) return;
      if (!deadline.mayBegin())
        return resolve({ kind: 'local', trouble: 'it is too late to begin' });
      if (path.startsWith('/refuse/') && !this.isCalm) return resolve(failed('refused'));
      deadline.phase = 'waiting for the answer';
      const isJob = call.headers['webhook-id'] === undefined;
      const answer = isJob ? this.#arrive(node, call, path) : this.#hear(call, path);
      if (answer === null) return;
      world().after(answer.inMs, () => {
        this.answeredAt.set(call.headers['x-service-run-id'] ?? '', world().now);
        resolve(answer.result);
      });
    });
    try {
      return await promise;
    } finally {
      connecting[Symbol.dispose]();
      deadline.stop();
      signal?.removeEventListener('abort', onAbort);
    }
  }

  #arrive(node: SimulatedNode, call: Call, path: string): Answer {
    const { 'x-service-run-id': runId = '', 'x-service-scheduled-for': scheduledFor = '' } =
      call.headers;
    const arrival = { runId, scheduledFor, path, at: world().now, by: node.name };
    this.arrivals.push(arrival);
    world().note(`arrives ${path} ${runId}`);
    this.onArrival(arrival);
    const [, manner = ''] = path.split('/');
    return this.#answer(manner, runId);
  }

  #answer(manner: string, runId: string): Answer {
    const dice = world().dice('targets');
    const inMs = dice.between(1, manner === 'slow' ? 12_000 : 60);
    if (this.isCalm && manner !== 'later') return { inMs, result: answered(200) };
    if (manner === 'never' && dice.chance(0.7)) return null;
    if (manner === 'fail') return { inMs, result: answered(500) };
    if (manner === 'flap') return { inMs, result: answered(dice.chance(0.5) ? 503 : 200) };
    if (manner === 'reset' && dice.chance(0.5)) return { inMs, result: failed('reset') };
    if (manner !== 'later') return { inMs, result: answered(200) };
    world().meets('wait', 60_000);
    const { promptReports } = this.#plan;
    if (!this.isCalm && promptReports > 0 && dice.chance(promptReports))
      return this.#answerBesideReports(runId);
    // Some report never, and some twice, perhaps the opposite.
    const reports = this.isCalm ? 1 : dice.pick([0, 1, 1, 1, 1, 1, 1, 2]);
    if (dice.chance(0.3)) for (let made = 0; made < 3; made += 1) this.#progressLater(runId);
    for (let made = 0; made < reports; made += 1) this.#reportLater(runId);
    return { inMs, result: answered(202) };
  }

  /** A report or two at once, before the answer or soon after it. */
  #answerBesideReports(runId: string): Answer {
    const dice = world().dice('reports');
    const reportInMs = dice.between(0, 4_000);
    this.#reportLater(runId, reportInMs);
    if (dice.chance(0.5)) this.#reportLater(runId, reportInMs + dice.between(0, 30));
    return { inMs: dice.between(1, 4_000), result: answered(202) };
  }

  /** Progress, which is not repeated if it is lost. */
  #progressLater(runId: string): void {
    const dice = world().dice('reports');
    const send = (): void => {
      const node = dice.pick(this.#nodes());
      const known = this.progress.get(runId) ?? { kept: 0, asked: 0, isSending: false };
      if (!node.isServing || known.isSending) return;
      this.progress.set(runId, { ...known, asked: known.asked + 1, isSending: true });
      const message = String(known.asked + 1);
      const onAnswer = (told: string): void => {
        const kept = told === 'kept' ? known.asked + 1 : known.kept;
        this.progress.set(runId, { kept, asked: known.asked + 1, isSending: false });
      };
      const progress = { status: 'progress', message } as const;
      as(node, () => void this.#tell(node, runId, progress).then(onAnswer));
    };
    world().after(dice.between(0, 60_000), send, null);
  }

  /** A report, which may come before the answer, and is repeated while it is not acknowledged. */
  #reportLater(runId: string, inMs?: number): void {
    const dice = world().dice('reports');
    const status = this.isCalm || dice.chance(0.7) ? ('success' as const) : ('failed' as const);
    const send = (left: number): void => {
      const serving = this.#nodes().filter(({ isServing }) => isServing);
      const again = (): void => {
        if (left > 0) world().after(3_000, () => send(left - 1), null);
        else this.reporting.delete(runId);
      };
      if (serving.length === 0) return again();
      const node = dice.pick(serving);
      const onAnswer = (isOver: boolean): void => {
        if (isOver) this.reporting.delete(runId);
        else as(null, again);
      };
      as(node, () => void this.#report(node, runId, status).then(onAnswer));
    };
    const tries = dice.pick([5, 60]);
    world().after(
      inMs ?? dice.between(0, dice.pick([20_000, 60_000, 120_000])),
      () => {
        this.reporting.set(runId, world().now);
        send(tries);
      },
      null,
    );
  }

  /** Whether it is over: a report that is refused for good is not repeated. */
  async #report(
    node: SimulatedNode,
    runId: string,
    status: 'success' | 'failed',
  ): Promise<boolean> {
    const told = await this.#tell(node, runId, { status });
    if (told === 'kept') {
      if (this.reported.has(runId)) world().fail('report-3', `two reports of ${runId} are kept`);
      this.reported.set(runId, { status, at: world().now });
      world().meets('report');
      world().note(`report ${status} of ${runId} is kept`);
    }
    return told !== 'lost';
  }

  async #tell(
    node: SimulatedNode,
    runId: string,
    report: GivenReport,
  ): Promise<'kept' | 'refused' | 'lost'> {
    try {
      const run = await findReported({ store: node.store }, runId);
      if (run === undefined) return 'refused';
      await node.keepReport?.(run, readReport(null, report));
      return 'kept';
    } catch (error) {
      if (error instanceof JobdError && error.isOfStore) return 'lost';
      if (!(error instanceof JobdError)) world().fail('report', String((error as Error).stack));
      return 'refused';
    }
  }

  /** An alert, a digest or a result, which the receiver may refuse to take. */
  #hear(call: Call, path: string): Answer {
    const dice = world().dice('hooks');
    const body = call.body ?? '';
    const { type, data } = JSON.parse(body) as Message;
    const isAcknowledged = this.isCalm || dice.chance(this.#plan.hooksThatAnswer);
    const webhookId = call.headers['webhook-id'] ?? '';
    const { job, run, runs } = data;
    const { id: runId = '', status = '' } = run ?? {};
    if (type === 'job.failed' || type === 'job.recovered') {
      const one = { type, jobId: job?.id ?? '', runId, webhookId, isAcknowledged } as const;
      this.heard.set(path, [...(this.heard.get(path) ?? []), one]);
      world().meets('alert');
    } else {
      const count = runs?.count ?? 0;
      this.posted.push({ type, webhookId, runId, status, count, body, isAcknowledged });
      world().meets(type === 'run.finished' ? 'result' : 'digest');
    }
    world().note(`hears ${type} ${runId} ${webhookId} ${isAcknowledged}`);
    if (!isAcknowledged && dice.chance(0.5)) return null;
    return { inMs: dice.between(1, 300), result: answered(isAcknowledged ? 200 : 500) };
  }
}

function answered(httpStatus: number): AttemptResult {
  const rest = { location: null, retryAfter: null, body: '', truncated: false, broken: null };
  return { kind: 'response', response: { httpStatus, ...rest } };
}

function failed(reason: Failure['reason']): AttemptResult {
  return { kind: 'failure', failure: { reason, detail: 'simulated' } };
}

/** As egress says it. */
function overdue({ over, isSent }: Deadline): AttemptResult {
  if (over === 'suspended') {
    const trouble = 'this machine stood still';
    return isSent ? { kind: 'interrupted', trouble } : { kind: 'local', trouble };
  }
  return { kind: 'failure', failure: { reason: 'timeout', detail: 'simulated', unsent: !isSent } };
}
