/** People of a history: what they ask of any node that serves, and what they were promised. */

import { listAccounts, setTrial, subscribe } from '../../src/app/accounts/accounts.ts';
import { actOnJobs } from '../../src/app/jobs/actions.ts';
import { createJob, deleteJob, getJob, updateJob } from '../../src/app/jobs/jobs.ts';
import { reportRun } from '../../src/app/runs/reports.ts';
import { listRuns, runJob } from '../../src/app/runs/runs.ts';
import type { App } from '../../src/app/app.ts';
import { isoTime } from '../../src/domain/clock.ts';
import { JobdError } from '../../src/domain/errors.ts';
import type { WindowEffect } from '../../src/domain/windows.ts';
import { replayRun } from '../../src/wings/replay/replay.ts';
import {
  createWindow,
  deleteWindow,
  endWindow,
  pageOfWindows,
} from '../../src/wings/windows/windows.ts';
import { writerIn } from '../support/records/principal.ts';
import type { Dice } from './dice.ts';
import type { SimulatedNode } from './node.ts';
import type { AskKind, Theme } from './plan.ts';
import { manners } from './targets.ts';
import { as, world } from './world.ts';

/** What clients know of a job. */
export interface Promised {
  id: string;
  /** The note last acknowledged, and the one last sent. */
  notes: number;
  notesAsked: number;
  deletion: 'none' | 'asked' | 'done';
  /** Whether its results are posted. */
  isPosted: boolean;
  /** Who works on an update of it: updates that wait for a run may be done in any order. */
  editor: SimulatedNode | null;
}

/** Who asks for what, and where. */
interface Asking {
  node: SimulatedNode;
  app: App;
  dice: Dice;
}

/** What people do, and what they may find. */
interface How {
  hasDeletions: boolean;
  hasHolds: boolean;
  hasMutes: boolean;
  hasSpent: boolean;
  makeUps: number;
  theme: Theme | null;
  /** Whether keys are forgotten with their runs, as the plan keeps few. */
  isPruned: boolean;
}

/** Errors that people may get; `payment_required` while their account has expired. */
const expected = new Set([
  'conflict',
  'rate_limited',
  'not_found',
  'unavailable',
  'invalid_input',
  'payment_required',
]);

export class People {
  readonly jobs = new Map<string, Promised>();
  /** Runs by hand by their keys. */
  readonly runs = new Map<string, { jobId: string; runId: string | null }>();
  /** Replays of due times that may have succeeded. */
  readonly forced = new Set<string>();
  readonly workspaceId: string;
  readonly #nodes: () => readonly SimulatedNode[];

  readonly #how: How;

  constructor(workspaceId: string, nodes: () => readonly SimulatedNode[], how: How) {
    this.workspaceId = workspaceId;
    this.#how = how;
    this.#nodes = nodes;
  }

  /** Asks something of a node, if it serves. Its number decides what. */
  ask(number: number): void {
    const dice = world().dice(`people ${number}`);
    const node = dice.pick(this.#nodes());
    const known = [...this.jobs.values()].filter(({ deletion }) => deletion === 'none');
    const job = known.length === 0 ? undefined : dice.pick(known);
    if (!node.isServing || node.app === undefined) return;
    const asking = { node, app: node.app, dice };
    const [what, ask] = this.#choose(asking, job, known);
    as(node, () => void this.answer(node, what, ask()));
  }

  #choose(
    asking: Asking,
    job: Promised | undefined,
    known: readonly Promised[],
  ): [AskKind, () => Promise<unknown>] {
    const wanted = this.#wanted(asking.dice, job);
    if (wanted === 'hold' || wanted === 'mute')
      return [wanted, () => this.#window(wanted, asking, known)];
    if (job === undefined || wanted === 'create') return ['create', () => this.create(asking)];
    const isKept = wanted === 'delete' && !(known.length > 3 && this.#how.hasDeletions);
    const what = isKept ? 'endWait' : wanted;
    return [what, () => this.#asks[what](asking, job, known)];
  }

  readonly #asks: Record<
    Exclude<AskKind, 'hold' | 'mute' | 'create'>,
    (asking: Asking, job: Promised, known: readonly Promised[]) => Promise<unknown>
  > = {
    edit: (asking, job) => this.#edit(asking, job),
    pause: (asking, job) => this.#act(asking, job, 'pause'),
    resume: (asking, job) => this.#act(asking, job, 'resume'),
    run: (asking, job) => this.#run(asking, job),
    replay: (asking, job) => this.#replay(asking, job),
    actions: (asking, _, known) => this.#actOnAll(asking, known),
    delete: (asking, job) => this.#delete(asking, job),
    endWait: (asking, job) => this.#endWait(asking, job),
  };

  #wanted(dice: Dice, job: Promised | undefined): AskKind {
    const { theme, hasHolds, hasMutes } = this.#how;
    const isEdited = job?.editor?.isDead === false;
    if (theme !== null && dice.chance(0.5)) {
      const isNever: Partial<Record<AskKind, boolean>> = { hold: !hasHolds, mute: !hasMutes };
      const wanted = dice.pick(theme.asks);
      if (isNever[wanted] !== true && !(wanted === 'edit' && isEdited)) return wanted;
    }
    if (hasHolds && dice.chance(0.15)) return 'hold';
    if (hasMutes && dice.chance(0.05)) return 'mute';
    const place = dice.int(22);
    if (place === 0) return 'create';
    if (place < 5 && !isEdited) return 'edit';
    if (place < 8) return 'pause';
    if (place < 13) return 'resume';
    if (place < 17) return 'run';
    if (place < 19) return 'replay';
    if (place < 20) return 'actions';
    return place < 21 ? 'delete' : 'endWait';
  }

  /** Whatever is answered must be expected. Returns whether it was done, as far as people know. */
  async answer(node: SimulatedNode, what: string, answer: Promise<unknown>): Promise<boolean> {
    try {
      world().meets(what);
      await answer;
      if (!node.isDead) world().note(`${what} is done`);
      return !node.isDead;
    } catch (error) {
      if (node.isDead) return false;
      const { code = '', message, stack } = error as Partial<JobdError>;
      world().note(`${what} is refused: ${code} ${message}`);
      if (!expected.has(code)) world().fail('answers', `${what}: ${stack}`);
      return false;
    }
  }

  async create({ app, dice }: Omit<Asking, 'node'>): Promise<void> {
    const manner = dice.pick(manners);
    const name = `${manner} ${dice.int(1e6)}`;
    const followed = dice.chance(0.3) ? dice.pick([...this.jobs.keys(), '']) : '';
    const isPosted = dice.chance(0.2);
    const { hasSpent, makeUps, theme } = this.#how;
    const isOnce = followed === '' && dice.chance(hasSpent ? 0.4 : 0.1);
    // Of longer periods more is missed, as the last due time is no longer a minute past at most.
    const isMissed = theme !== null;
    const crons = isMissed ? ['*/2 * * * *', '*/5 * * * *'] : ['* * * * *', '*/2 * * * *'];
    const longest = isMissed ? 400 : 150;
    const makeUpWithin = isMissed ? [600] : [60, 600];
    const deletedAfter = theme?.isSpent === true ? [0] : [0, 60, 600];
    const job = await createJob(app, this.#principal, {
      name,
      url: `http://127.0.0.1:${dice.between(1, 4)}/${manner}/${dice.int(1e6)}`,
      timezone: dice.pick(['UTC', 'Europe/Paris']),
      ...(dice.chance(0.4)
        ? { scheduleType: 'cron', cronExpr: dice.pick(crons) }
        : { scheduleType: 'period', periodSeconds: dice.between(60, longest) }),
      retries: dice.int(3),
      timeoutSeconds: dice.pick([1, 5, 20]),
      notes: '0',
      ...(manner === 'later' && { reportWithinSeconds: dice.between(60, 120) }),
      ...(followed !== '' && {
        after: { jobId: followed, on: dice.pick(['success', 'failed', 'finished']) },
      }),
      ...(isOnce && { runAt: isoTime(app.clock.now() + dice.between(1_000, 200_000)) }),
      ...(isOnce && hasSpent && { deleteAfterSeconds: dice.pick(deletedAfter) }),
      ...(!isOnce && followed === '' && dice.chance(0.2) && { spreadSeconds: dice.between(1, 30) }),
      ...(followed === '' && dice.chance(makeUps) && { makeUpSeconds: dice.pick(makeUpWithin) }),
      ...(isPosted && { onResult: 'http://127.0.0.1:1/results' }),
    });
    const { id } = job;
    this.jobs.set(id, { ...untouched, id, isPosted });
    world().note(`${name} is ${id}`);
    if (isOnce) world().meets('once', 200_000);
  }

  async #edit({ node, app, dice }: Asking, job: Promised): Promise<void> {
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

  async #act({ app }: Asking, job: Promised, action: 'pause' | 'resume'): Promise<void> {
    await updateJob(app, this.#principal, job.id, { action });
  }

  async #actOnAll({ app, dice }: Asking, jobs: readonly Promised[]): Promise<void> {
    const action = dice.pick(['pause', 'resume'] as const);
    await actOnJobs(app, this.#principal, { action, ids: jobs.map(({ id }) => id) });
  }

  async #run({ app, dice }: Asking, { id: jobId }: Promised): Promise<void> {
    const key = dice.chance(0.3)
      ? dice.pick([...this.runs.keys(), '']) || null
      : `key${dice.int(1e9)}`;
    const known = (key === null ? undefined : this.runs.get(key)) ?? { jobId, runId: null };
    if (key !== null) this.runs.set(key, known);
    const run = await runJob(app, this.#principal, known.jobId, key);
    if (known.runId !== null && known.runId !== run.id && !this.#how.isPruned) {
      world().fail('run-6', `key ${key} was answered with ${known.runId}, then with ${run.id}`);
    }
    known.runId = run.id;
  }

  async #replay({ app, dice }: Asking, { id: jobId }: Promised): Promise<void> {
    const { items } = await listRuns(app, this.#principal, jobId, { limit: 10, cursor: null });
    if (items.length === 0) return;
    const replay = { jobId, runId: dice.pick(items).id, dueAt: null, again: dice.chance(0.3) };
    const { id } = await replayRun(app, this.#principal, replay, null);
    if (replay.again) this.forced.add(id);
  }

  async #endWait({ app }: Asking, { id: jobId }: Promised): Promise<void> {
    const { activeRunId: runId } = await getJob(app, this.#principal, jobId);
    if (runId === null) return;
    await reportRun(
      app,
      this.#principal,
      { jobId, runId },
      { status: 'success', message: null, percent: null },
    );
  }

  /** Holds or mutes some jobs, or all, for a while; or ends or deletes such a window. */
  async #window(
    effect: WindowEffect,
    { app, dice }: Asking,
    known: readonly Promised[],
  ): Promise<void> {
    const windows = await this.#windows(effect, app);
    if (windows.length > 3 || (windows.length > 0 && dice.chance(0.4))) {
      const stop = dice.chance(0.5) ? endWindow : deleteWindow;
      await stop(app, this.#principal, dice.pick(windows).id);
      return;
    }
    const durationSeconds = dice.between(60, 200);
    const from = isoTime(app.clock.now() + dice.pick([-50_000, 0, 30_000]));
    const some = known.filter(() => dice.chance(0.4)).map(({ id }) => id);
    const jobIds = dice.chance(0.3) ? null : some;
    const window = { name: effect, effect, jobIds, from, durationSeconds };
    await createWindow(app, this.#principal, window, null);
    world().meets(effect, durationSeconds * 1_000);
  }

  /** Those that are not over. */
  async #windows(effect: WindowEffect, app: App) {
    const page = { limit: 100, cursor: null, name: null, idPrefix: null };
    const { items } = await pageOfWindows(app, this.#principal, page);
    return items.filter((one) => one.effect === effect && one.state !== 'over');
  }

  /** Deletes all windows that mute. */
  unmute(): void {
    const end = async ({ app }: SimulatedNode): Promise<void> => {
      if (app === undefined) return;
      for (const { id } of await this.#windows('mute', app))
        await deleteWindow(app, this.#principal, id);
    };
    this.#untilDone((node) => as(node, () => this.answer(node, 'mute', end(node))));
  }

  async #delete({ app }: Asking, job: Promised): Promise<void> {
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

  /** The account expires soon, and is paid for again some time later. */
  letExpire(node: SimulatedNode, dice: Dice): void {
    const inMs = dice.between(0, 5_000);
    const onAnswer = (isDone: boolean): void => {
      if (isDone) world().meets('expiry', inMs + 30_000);
    };
    void this.#pay(node, ({ now }) => now + inMs).then(onAnswer);
    world().after(dice.between(5_000, 120_000), () => this.renew(), null);
  }

  /** Pays for the account. */
  renew(): void {
    this.#untilDone((node) => this.#pay(node, () => null));
  }

  /** Works with any node that serves, until that is done. */
  #untilDone(work: (node: SimulatedNode) => Promise<boolean>): void {
    const node = this.#nodes().find(({ isServing }) => isServing);
    const again = (): void => void world().after(1_000, () => this.#untilDone(work), null);
    if (node === undefined) return again();
    void work(node).then((isDone) => isDone || as(null, again));
  }

  async #pay(
    node: SimulatedNode,
    untilOf: (at: { now: number }) => number | null,
  ): Promise<boolean> {
    return await as(node, async () => {
      const { app } = node;
      if (!node.isServing || app === undefined) return false;
      const pay = async (): Promise<void> => {
        const [{ name } = { name: '' }] = await listAccounts(app);
        const parts = { ...app, caller: { id: 'operator', name: 'operator' } };
        const until = untilOf({ now: app.clock.now() });
        await (until === null ? subscribe(parts, name, null) : setTrial(parts, name, until));
      };
      return await this.answer(node, 'pay', pay());
    });
  }

  get #principal() {
    return writerIn(this.workspaceId);
  }
}

const untouched = { notes: 0, notesAsked: 0, deletion: 'none', editor: null } as const;
