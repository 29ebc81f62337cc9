/** A process of a history: the real engine and use cases on clocks, a store and an egress that are simulated. */

import type { App } from '../../src/app/app.ts';
import { createReportKeeper } from '../../src/app/runs/reports.ts';
import { createHeldJobs } from '../../src/app/jobs/held-jobs.ts';
import { isOfStore } from '../../src/base/outage.ts';
import type { Log } from '../../src/base/log.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { messageOf, storeInDoubt, storeUnusable, type JobdError } from '../../src/domain/errors.ts';
import type { WokenLoop } from '../../src/domain/hints.ts';
import { startEngine, type Engine } from '../../src/engine/engine.ts';
import { joinNodes } from '../../src/engine/nodes/join.ts';
import { alone, type Membership } from '../../src/engine/nodes/membership.ts';
import { databaseClockOf, type DatabaseClock } from '../../src/store/nodes/database-clock.ts';
import { noHints, type Hints } from '../../src/store/database/hints.ts';
import type { Store } from '../../src/store/database/store.ts';
import { uncounted } from '../support/fakes/meter.ts';
import { testMasterKeyId } from '../support/fakes/vault.ts';
import { quietApp } from '../support/running/app.ts';
import { enginePartsFor } from '../support/running/engine.ts';
import { loopback } from '../support/running/store.ts';
import type { Disk, Place, User } from './disk.ts';
import type { Plan } from './plan.ts';
import type { Targets } from './targets.ts';
import { as, world } from './world.ts';

/** `doubt`: the next commit takes place, and its answer is lost. */
export const strikeKinds = ['kill', 'error', 'doubt'] as const;

/** What is to happen when a node has used its database so many times more. */
export interface Strike {
  inUses: number;
  kind: (typeof strikeKinds)[number];
}

export interface Surroundings {
  disk: Disk;
  targets: Targets;
  plan: Plan;
  /** All nodes, for hints. */
  readonly nodes: () => readonly SimulatedNode[];
}

interface LogFields {
  err?: Error;
  error?: string;
  loop?: string;
}

/** What the log tells of mechanisms that are under way, and for how long: what belongs to a job that is gone goes after it. */
const mechanismOf = new Map<string, readonly [string, number]>([
  ['this node is the leader', ['hand-over', 3_000]],
  ['nodes that do not renew their leases are gone', ['lease', 3_000]],
  ['due times were corrected', ['replan', 3_000]],
  ['pruned', ['prune', 3_000]],
  ['job deleted itself', ['spent', 20_000]],
  ['schedules of renewed accounts continue', ['renew', 3_000]],
]);

export class SimulatedNode implements User {
  readonly name: string;
  readonly ids = { lastMs: 0, count: 0 };
  isDead = false;
  frozenUntil = 0;
  /** Until when none of its questions is answered. */
  cutUntil = 0;
  /** Until when none of its transactions can be kept. */
  fullUntil = 0;
  /** How far the wall clock of its machine is ahead of the true time. */
  leadMs = 0;
  strike: Strike | null = null;
  /**
   * Where it used its database, each time: the place, its statement, and the one before it in its transaction. What nothing
   * tells apart so is one place of the code. Null if nobody asks for that.
   */
  sites: string[] | null = null;
  #before = '';
  app: App | undefined;
  engine: Engine | undefined;
  membership: Membership | undefined;
  keepReport: ReturnType<typeof createReportKeeper> | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly #around: Surroundings;
  readonly startedAt = world().now;
  readonly #bootedAt = world().now - 1_000;
  readonly #parts = new AsyncDisposableStack();

  constructor(name: string, around: Surroundings) {
    this.name = name;
    this.#around = around;
    this.clock = this.#machine();
    this.store = around.disk.storeOf(this, this.#hints());
  }

  /** Whether it serves people. */
  get isServing(): boolean {
    return !this.isDead && this.app !== undefined && this.frozenUntil <= world().now;
  }

  /** Whether it does what is done once for all, and is able to. */
  get leads(): boolean {
    return !this.isDead && this.frozenUntil <= world().now && this.membership?.leads() === true;
  }

  /** Begins to serve. */
  start(): void {
    world().note(`${this.name} starts`);
    as(this, () => {
      this.#start().catch((error: unknown) => {
        world().note(`${this.name} could not start: ${messageOf(error)}`);
        if (!isOfStore(error)) world().fail('start', messageOf(error));
        this.kill();
      });
    });
  }

  async #start(): Promise<void> {
    const { targets, plan } = this.#around;
    const { store } = this;
    const log = this.#log();
    const isAlone = plan.nodes === 1;
    const shared = isAlone ? null : await databaseClockOf(store.db, this.clock);
    const clock = shared ?? this.clock;
    const membership = shared === null ? alone(clock) : await this.#join(log, shared);
    const held = createHeldJobs(() => this.engine?.wake());
    const wakeOthers = (loop: WokenLoop): void => store.hints.tell({ wakes: [loop] });
    const engine = startEngine({
      ...enginePartsFor({ store, clock, log, egress: targets.egressOf(this) }),
      membership,
      slots: plan.slots,
      slotsPerHost: plan.slotsPerHost,
      heldJobs: held.ids,
      random: world().dice(`engine ${this.name}`).next,
      wakeOthers,
    });
    const wake = (loop: WokenLoop): void => {
      engine.wake(loop);
      wakeOthers(loop);
    };
    this.#parts.use(engine);
    this.membership = membership;
    this.engine = engine;
    this.app = quietApp({ store, clock, wake, allowTargets: loopback, holdJob: held.hold });
    this.keepReport = createReportKeeper(this.app);
  }

  async #join(log: Log, clock: DatabaseClock): Promise<Membership> {
    const { plan } = this.#around;
    const pid = Number(this.name.replace(/\D+/g, ''));
    const node = {
      host: 'simulated',
      pid,
      version: '0.0.0',
      slots: plan.slots,
      settings: {},
      masterKeys: [testMasterKeyId],
    };
    const stats = () => ({ calls: this.engine?.slotsUsed() ?? 0, lateness: new Map() });
    const parts = {
      store: this.store,
      machine: this.clock,
      clock,
      log,
      meter: uncounted,
      node,
      stats,
    };
    return this.#parts.use(await joinNodes(parts));
  }

  /** It stops for ever. */
  kill(): void {
    if (this.isDead) return;
    world().note(`${this.name} is killed`);
    this.isDead = true;
    this.#around.disk.forget(this);
  }

  /** It stops as on SIGTERM. */
  stop(): void {
    world().note(`${this.name} stops`);
    this.app = undefined;
    as(this, () => {
      void this.#parts.disposeAsync().then(
        () => this.kill(),
        (error: unknown) => world().fail('stop', messageOf(error)),
      );
    });
  }

  freeze(ms: number): void {
    // Frozen in a transaction, it would freeze all others, too: there is one at a time.
    if (this.#around.disk.isUsedBy(this)) return void world().after(1, () => this.freeze(ms), null);
    world().note(`${this.name} is frozen for ${ms} ms`);
    world().meets('freeze', ms);
    this.frozenUntil = world().now + ms;
  }

  /** At each use of the database. */
  async reach(place: Place, sql = ''): Promise<void> {
    if (this.isDead) return await forever();
    this.sites?.push(`${place} ${sql} ${this.#before}`);
    this.#before = place === 'statement' ? sql : place === 'commit' ? this.#before : '';
    const { plan } = this.#around;
    const { strike } = this;
    if (strike !== null && (strike.inUses -= 1) <= 0) await this.#struck(strike, place);
    if (this.cutUntil > world().now) throw failureAt(place, 'the network is cut');
    if (place === 'commit' && this.fullUntil > world().now)
      throw storeUnusable('database or disk is full');
    if (plan.storeMs > 0) {
      const ms = world()
        .dice('store')
        .int(plan.storeMs + 1);
      if (ms > 0) await world().sleep(ms);
    }
    if (this.frozenUntil > world().now) await world().sleep(0);
  }

  async #struck(strike: Strike, place: Place): Promise<void> {
    if (strike.kind === 'doubt' && place !== 'committed') return;
    this.strike = null;
    world().note(`${strike.kind} of ${this.name} at ${place}`);
    world().meets(strike.kind);
    if (strike.kind === 'kill') {
      this.kill();
      await forever();
    }
    throw failureAt(place, `simulated at ${place}`);
  }

  /** The clocks of its machine. */
  #machine(): Clock {
    const monotonicMs = (): number => world().now - this.#bootedAt;
    return {
      now: () => Math.floor(world().now + this.leadMs),
      monotonicMs,
      after: (ms, run, ...given) => {
        return world().after(Math.max(1, ms), () => run(...given), this);
      },
      every: (ms, run) => {
        let timer: Disposable | undefined;
        const again = (): void => {
          timer = world().after(ms, () => (again(), run()), this);
        };
        again();
        return { [Symbol.dispose]: () => timer?.[Symbol.dispose]() };
      },
    };
  }

  /** Hints arrive some milliseconds later, or are lost. */
  #hints(): Hints {
    const { plan, nodes } = this.#around;
    if (plan.nodes === 1) return noHints;
    return {
      ...noHints,
      isHeard: true,
      tell: ({ wakes = [] }) => {
        for (const other of nodes()) {
          const dice = world().dice('hints');
          const ms = dice.between(1, 20);
          if (other === this || dice.chance(plan.lostHints)) continue;
          const wake = (): void => wakes.forEach((loop) => other.engine?.wake(loop));
          world().after(ms, wake, other);
        }
      },
    };
  }

  /** What it logs is traced; an error that no fault explains ends the history. */
  #log(): Log {
    const write =
      (level: string) =>
      (fields: LogFields | string, text = ''): void => {
        if (this.isDead) return;
        const { err, error = '', loop = '' }: LogFields = typeof fields === 'string' ? {} : fields;
        const words = typeof fields === 'string' ? fields : text;
        world().note(`${level} ${words} ${loop} ${err?.message ?? error}`);
        const mechanism = mechanismOf.get(words);
        if (mechanism !== undefined) world().meets(...mechanism);
        if (err === undefined || level !== 'error' || isOfStore(err)) return;
        world().fail('error', `${words}: ${err.stack ?? err.message}`);
      };
    const log = { debug: quiet, info: write('info'), warn: write('warn'), error: write('error') };
    return { ...log, fatal: write('error') } as Log;
  }
}

/** The error of a question that failed: of a commit nobody knows whether it took place. */
function failureAt(place: Place, why: string): JobdError {
  const error = storeUnusable(why);
  return place === 'commit' || place === 'committed' ? storeInDoubt(error) : error;
}

function quiet(): void {}

function forever(): Promise<never> {
  return new Promise(() => {});
}
