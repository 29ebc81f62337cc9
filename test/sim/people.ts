/** People of a history: what they ask of any node that serves, and what they were promised. */

import { actOnJobs } from '../../src/app/jobs/actions.ts';
import { createJob, deleteJob, getJob, updateJob } from '../../src/app/jobs/jobs.ts';
import { completeRun } from '../../src/app/runs/completions.ts';
import { runJob } from '../../src/app/runs/runs.ts';
import type { App } from '../../src/app/app.ts';
import { JobdError } from '../../src/domain/errors.ts';
import { writerIn } from '../support/records/principal.ts';
import type { SimulatedNode } from './node.ts';
import { manners } from './targets.ts';
import { as, world } from './world.ts';

/** What clients know of a job. */
export interface Promised {
  id: string;
  /** The note last acknowledged, and the one last sent. */
  notes: number;
  notesAsked: number;
  deletion: 'none' | 'asked' | 'done';
  /** Who works on an update of it: updates that wait for a run may be done in any order. */
  editor: SimulatedNode | null;
}

export class People {
  readonly jobs = new Map<string, Promised>();
  /** Runs by hand by their keys. */
  readonly runs = new Map<string, { jobId: string; runId: string | null }>();
  readonly workspaceId: string;
  readonly #nodes: () => readonly SimulatedNode[];
  #made = 0;

  constructor(workspaceId: string, nodes: () => readonly SimulatedNode[]) {
    this.workspaceId = workspaceId;
    this.#nodes = nodes;
  }

  /** Asks something of a node, if it serves. */
  ask(): void {
    const dice = world().dice('people');
    const node = dice.pick(this.#nodes());
    const known = [...this.jobs.values()].filter(({ deletion }) => deletion === 'none');
    const job = known.length === 0 ? undefined : dice.pick(known);
    const place = dice.int(20);
    if (!node.isServing || node.app === undefined) return;
    const { app } = node;
    const [what, ask] = this.#choose(node, app, job, known, place);
    as(node, () => void this.answer(node, what, ask()));
  }

  #choose(
    node: SimulatedNode,
    app: App,
    job: Promised | undefined,
    known: readonly Promised[],
    place: number,
  ): [string, () => Promise<unknown>] {
    if (job === undefined || place === 0) return ['create', () => this.create(app)];
    if (place < 5 && job.editor?.isDead !== false)
      return ['edit', () => this.#edit(node, app, job)];
    if (place < 8) return ['pause', () => this.#act(app, job, 'pause')];
    if (place < 13) return ['resume', () => this.#act(app, job, 'resume')];
    if (place < 17) return ['run', () => this.#run(app, job)];
    if (place < 18) return ['actions', () => this.#actOnAll(app, known)];
    if (place < 19 && known.length > 3) return ['delete', () => this.#delete(app, job)];
    return ['complete', () => this.#complete(app, job)];
  }

  /** Whatever is answered must be expected. */
  async answer(node: SimulatedNode, what: string, answer: Promise<unknown>): Promise<void> {
    try {
      world().meets(what);
      await answer;
      if (!node.isDead) world().note(`${what} is done`);
    } catch (error) {
      if (node.isDead) return;
      const { code = '', message, stack } = error as Partial<JobdError>;
      world().note(`${what} is refused: ${code} ${message}`);
      const expected = ['conflict', 'rate_limited', 'not_found', 'unavailable', 'invalid_input'];
      if (!expected.includes(code)) world().fail('answers', `${what}: ${stack}`);
    }
  }

  async create(app: App): Promise<void> {
    const dice = world().dice('people');
    const name = `job${(this.#made += 1)}`;
    const manner = dice.pick(manners);
    const followed = dice.chance(0.2) ? dice.pick([...this.jobs.keys(), '']) : '';
    const job = await createJob(app, this.#principal, {
      name,
      url: `http://127.0.0.1:${dice.between(1, 4)}/${manner}/${name}`,
      timezone: dice.pick(['UTC', 'Europe/Paris']),
      ...(dice.chance(0.4)
        ? { scheduleType: 'cron', cronExpr: dice.pick(['* * * * *', '*/2 * * * *']) }
        : { scheduleType: 'period', periodSeconds: dice.between(60, 150) }),
      retries: dice.int(3),
      timeoutSeconds: dice.pick([1, 5, 20]),
      notes: '0',
      ...(manner === 'await' && { awaitSeconds: dice.between(60, 120) }),
      ...(followed !== '' && {
        after: { jobId: followed, on: dice.pick(['success', 'failed', 'finished']) },
      }),
    });
    this.jobs.set(job.id, { id: job.id, notes: 0, notesAsked: 0, deletion: 'none', editor: null });
    world().note(`${name} is ${job.id}`);
  }

  async #edit(node: SimulatedNode, app: App, job: Promised): Promise<void> {
    const dice = world().dice('people');
    const notes = (job.notesAsked += 1);
    job.editor = node;
    const periodSeconds = dice.between(60, 150);
    const more = dice.chance(0.5) ? { scheduleType: 'period' as const, periodSeconds } : {};
    const action = dice.pick([undefined, undefined, 'pause', 'resume'] as const);
    const update = { notes: String(notes), ...more, ...(action !== undefined && { action }) };
    try {
      await updateJob(app, this.#principal, job.id, update);
      job.notes = notes;
    } finally {
      job.editor = null;
    }
  }

  async #act(app: App, job: Promised, action: 'pause' | 'resume'): Promise<void> {
    await updateJob(app, this.#principal, job.id, { action });
  }

  async #actOnAll(app: App, jobs: readonly Promised[]): Promise<void> {
    const action = world()
      .dice('people')
      .pick(['pause', 'resume'] as const);
    await actOnJobs(app, this.#principal, { action, ids: jobs.map(({ id }) => id) });
  }

  async #run(app: App, { id: jobId }: Promised): Promise<void> {
    const dice = world().dice('people');
    const key = dice.chance(0.3)
      ? dice.pick([...this.runs.keys(), '']) || null
      : `key${dice.int(1e9)}`;
    const known = (key === null ? undefined : this.runs.get(key)) ?? { jobId, runId: null };
    if (key !== null) this.runs.set(key, known);
    const run = await runJob(app, this.#principal, known.jobId, key);
    if (known.runId !== null && known.runId !== run.id) {
      world().fail('run-6', `key ${key} was answered with ${known.runId}, then with ${run.id}`);
    }
    known.runId = run.id;
  }

  async #complete(app: App, { id: jobId }: Promised): Promise<void> {
    const { activeRunId: runId } = await getJob(app, this.#principal, jobId);
    if (runId === null) return;
    await completeRun(
      app,
      this.#principal,
      { jobId, runId },
      { status: 'success', message: null, percent: null },
    );
  }

  async #delete(app: App, job: Promised): Promise<void> {
    job.deletion = 'asked';
    try {
      await deleteJob(app, this.#principal, job.id);
      job.deletion = 'done';
    } catch (error) {
      // Others run after it, or a run is executing: nothing was done.
      const isKept = error instanceof JobdError && error.code === 'conflict';
      if (isKept) job.deletion = 'none';
      throw error;
    }
  }

  get #principal() {
    return writerIn(this.workspaceId);
  }
}
