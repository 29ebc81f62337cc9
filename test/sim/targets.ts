/**
 * What is called: the targets of jobs and the receiver of alerts, and the egress of each node, which reaches them in virtual time. A
 * target behaves as the first part of its path says; what arrived is the truth that rules compare with the database.
 */

import { readReport } from '../../src/domain/runs/report.ts';
import { JobdError } from '../../src/domain/errors.ts';
import type { AttemptResult, Failure } from '../../src/domain/runs/outcome.ts';
import type { Call, Egress } from '../../src/egress/egress.ts';
import { Deadline } from '../../src/egress/deadline.ts';
import { findReported } from '../../src/app/runs/completions.ts';
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
  'await',
] as const;

/** A call of a job that arrived. */
export interface Arrival {
  runId: string;
  path: string;
  at: number;
  by: string;
}

/** An answer, and when it comes; null if none does. */
type Answer = { inMs: number; result: AttemptResult } | null;

export class Targets {
  readonly arrivals: Arrival[] = [];
  readonly heard: Heard[] = [];
  /** What targets reported and jobd acknowledged, by run. */
  readonly reported = new Map<string, 'success' | 'failed'>();
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
    const deadline = new Deadline(call, { signal, timers: node.clock });
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
      const answer = path.startsWith('/hook') ? this.#hear(call) : this.#arrive(node, call, path);
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
    const runId = call.headers['x-service-run-id'] ?? '';
    const arrival = { runId, path, at: world().now, by: node.name };
    this.arrivals.push(arrival);
    world().note(`arrives ${path} ${runId}`);
    this.onArrival(arrival);
    const [, manner = ''] = path.split('/');
    return this.#answer(manner, runId);
  }

  #answer(manner: string, runId: string): Answer {
    const dice = world().dice('targets');
    const inMs = dice.between(1, manner === 'slow' ? 12_000 : 60);
    if (this.isCalm && manner !== 'await') return { inMs, result: answered(200) };
    if (manner === 'never' && dice.chance(0.7)) return null;
    if (manner === 'fail') return { inMs, result: answered(500) };
    if (manner === 'flap') return { inMs, result: answered(dice.chance(0.5) ? 503 : 200) };
    if (manner === 'reset' && dice.chance(0.5)) return { inMs, result: failed('reset') };
    if (manner !== 'await') return { inMs, result: answered(200) };
    const reports = this.isCalm || dice.chance(0.9) ? 1 : 0;
    for (let made = 0; made < reports; made += 1) this.#reportLater(runId, 5);
    return { inMs, result: answered(202) };
  }

  /** A report, which may come before the answer, and is repeated while it is not acknowledged. */
  #reportLater(runId: string, tries: number): void {
    const dice = world().dice('reports');
    const status = this.isCalm || dice.chance(0.7) ? ('success' as const) : ('failed' as const);
    const send = (left: number): void => {
      const node = dice.pick(this.#nodes());
      const again = (): void => {
        if (left > 0) world().after(3_000, () => send(left - 1), null);
      };
      if (!node.isServing) return again();
      as(node, () => {
        void this.#report(node, runId, status).then((isOver) => isOver || as(null, again));
      });
    };
    world().after(dice.between(0, 90_000), () => send(tries), null);
  }

  /** Whether it is over: a report that is refused for good is not repeated. */
  async #report(
    node: SimulatedNode,
    runId: string,
    status: 'success' | 'failed',
  ): Promise<boolean> {
    try {
      const run = await findReported({ store: node.store }, runId);
      if (run === undefined) return true;
      await node.keepReport?.(run, readReport(null, { status }));
      this.reported.set(runId, status);
      world().meets('report');
      world().note(`report ${status} of ${runId} is kept`);
      return true;
    } catch (error) {
      if (error instanceof JobdError && error.isOfStore) return false;
      if (!(error instanceof JobdError)) world().fail('report', String((error as Error).stack));
      return true;
    }
  }

  /** An alert, which the receiver may refuse to take. */
  #hear(call: Call): Answer {
    const dice = world().dice('hooks');
    const { type, data } = JSON.parse(call.body ?? '') as {
      type: 'job.failed' | 'job.recovered';
      data: { job: { id: string }; run: { id: string } };
    };
    const isAcknowledged = this.isCalm || dice.chance(this.#plan.hooksThatAnswer);
    const webhookId = call.headers['webhook-id'] ?? '';
    const { job, run } = data;
    this.heard.push({ type, jobId: job.id, runId: run.id, webhookId, isAcknowledged });
    world().note(`hears ${type} ${run.id} ${webhookId} ${isAcknowledged}`);
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
