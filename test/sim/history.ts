/** One history: a world, its nodes, targets and people, and what disturbs them, all from a seed. */

import { createChannel } from '../../src/app/alerts/channels.ts';
import { plans } from '../../src/domain/accounts/plan.ts';
import { alsoOnWords } from '../../src/domain/alerts/fields.ts';
import { newId } from '../../src/domain/id.ts';
import {
  ensureDefaultWorkspace,
  defaultWorkspace,
  findWorkspace,
} from '../../src/store/accounts/workspaces.ts';
import { activateMasterKey } from '../../src/store/secrets/master-keys.ts';
import { testMasterKeyId } from '../support/fakes/vault.ts';
import { writerIn } from '../support/records/principal.ts';
import { quietApp } from '../support/running/app.ts';
import { loopback } from '../support/running/store.ts';
import type { Dice } from './dice.ts';
import { Disk } from './disk.ts';
import { SimulatedNode, type Strike, type Surroundings } from './node.ts';
import { People } from './people.ts';
import { planOf, themed, type FaultKind, type Plan } from './plan.ts';
import { isBusy, requireRest } from './rest.ts';
import { Rules } from './rules.ts';
import { Targets } from './targets.ts';
import { as, enter, World, world } from './world.ts';

/** What came of a history. */
export interface Told {
  seed: number;
  plan: Plan;
  failure: string | null;
  /** Of all that happened. */
  hash: string;
  /** The last lines of the trace. */
  lines: string[];
  pairs: ReadonlyMap<string, number>;
  /** Where the first node used its database, each time, if that was asked for. */
  sites: readonly string[];
  /** How much time passed in it, in milliseconds. */
  passedMs: number;
  arrivals: number;
  /** How many disturbances, requests and first jobs there were. */
  counts: Counts;
}

type Counts = Record<keyof Plan['without'], number>;

/** How long a mechanism is under way; returns when it ends. */
function lasting(mechanism: string, ms: number): number {
  world().meets(mechanism, ms);
  return world().now + ms;
}

/** Faults after which a call that was begun is answered and recorded all the same. */
const harmless: ReadonlySet<FaultKind> = new Set(['error', 'doubt', 'expiry']);

/** Where alerts go: after how many failures. */
export const receivers = [
  ['/hook1', 1],
  ['/hook2', 2],
] as const;

const startsAt = Date.parse('2026-03-02T10:00:17Z');
/** As long as a clock has to be steady before a job deletes itself. */
const steadyMs = 600_000;
/** How often people ask at most in a history that has such a time. */
const calmAskMs = 3_000;
/** How long everything has to come to rest. */
const restMs = 220_000;

/** What makes a history another one than its seed alone. */
export interface Changes {
  plan?: Partial<Plan>;
  /** What happens to the first node, once. */
  strike?: Strike;
  /** Whether it is told where the first node used its database. */
  hasSites?: boolean;
  onLine?: ((line: string) => void) | undefined;
}

/** Simulates the history of a seed. */
export async function simulate(seed: number, changes: Changes = {}): Promise<Told> {
  const made = enter(new World(seed, startsAt, changes.onLine));
  const theme = changes.plan?.hasTheme === true ? themed(made) : {};
  const plan: Plan = { ...planOf(made), ...theme, ...changes.plan };
  made.note(JSON.stringify(plan));
  // What an account keeps is not set by people: it follows from its plan.
  Object.assign(plans['self-hosted'], { results: plan.results });
  const history = new History(plan, changes.strike ?? null, changes.hasSites === true);
  await history.play();
  return {
    seed,
    plan,
    failure: made.failure,
    hash: made.hash(),
    lines: made.lines,
    pairs: made.pairs,
    sites: history.sites,
    passedMs: made.now - startsAt,
    arrivals: history.targets.arrivals.length,
    counts: history.counts,
  };
}

class History {
  readonly targets: Targets;
  readonly counts: Counts;
  readonly #plan: Plan;
  readonly #disk = new Disk();
  readonly #rules: Rules;
  readonly #nodes: SimulatedNode[] = [];
  #people: People | undefined;
  #started = 0;
  #first: SimulatedNode | undefined;
  #isOver = false;
  readonly #strike: Strike | null;
  readonly #hasSites: boolean;

  constructor(plan: Plan, strike: Strike | null, hasSites: boolean) {
    this.#plan = plan;
    this.#hasSites = hasSites;
    this.counts = { faults: 0, asks: 0, jobs: plan.jobs };
    this.#strike = strike && { ...strike };
    this.targets = new Targets(plan, this.#served);
    const isPunctual =
      plan.nodes === 1 &&
      plan.faults.length === 0 &&
      strike === null &&
      plan.slots === 64 &&
      plan.slotsPerHost === 64;
    const leaders = (): string[] =>
      this.#nodes.filter((node) => node.leads).map(({ name }) => name);
    const mayInterrupt = strike !== null || plan.faults.some((kind) => !harmless.has(kind));
    this.#rules = new Rules(this.#disk, {
      isPunctual,
      mayInterrupt,
      isPruned: this.#isPruned,
      isMuted: plan.hasMutes,
      isSpent: plan.hasSpent,
      leaders,
    });
    this.#rules.onExpired = (runId) => this.#requireGrace(runId);
    this.targets.onArrival = (arrival) => this.#rules.onArrival(arrival);
  }

  readonly #served = (): readonly SimulatedNode[] => this.#nodes;

  /** Whether the plan keeps so few results that some are removed. */
  get #isPruned(): boolean {
    return this.#plan.results < 1_000;
  }

  /** Where the first node used its database, each time. */
  get sites(): readonly string[] {
    return this.#first?.sites ?? [];
  }

  async play(): Promise<void> {
    const { lengthMs, faults, faultEveryMs, askEveryMs } = this.#plan;
    await this.#prepare();
    for (let place = 0; place < this.#plan.nodes; place += 1) this.#start(place);
    await this.#pass(1_000);
    this.#make();
    const { hasSpent } = this.#plan;
    const askMs = hasSpent ? Math.max(askEveryMs, calmAskMs) : askEveryMs;
    this.#repeat('asks', askMs, (number) => this.#people?.ask(number));
    if (hasSpent) await this.#pass(steadyMs);
    if (faults.length > 0) this.#repeat('faults', faultEveryMs, (number) => this.#disturb(number));
    await this.#pass(lengthMs);
    this.#isOver = true;
    this.targets.isCalm = true;
    for (const node of this.#nodes) [node.strike, node.cutUntil, node.fullUntil] = [null, 0, 0];
    if (faults.includes('expiry')) this.#people?.renew();
    if (this.#plan.hasMutes) this.#people?.unmute();
    await this.#pass(restMs);
    for (let more = 0; more < 60 && isBusy({ disk: this.#disk }); more += 1)
      await this.#pass(120_000);
    await this.#check();
    this.#disk.database.close();
  }

  async #pass(ms: number): Promise<void> {
    await world().until(world().now + ms);
  }

  /** What there is before the first start. */
  async #prepare(): Promise<void> {
    const maker = this.#node('setup');
    const { store } = maker;
    const done = as(maker, async () => {
      await this.#disk.prepare(store);
      await ensureDefaultWorkspace(store, newId(world().now), world().now);
      await activateMasterKey(store.db, testMasterKeyId, 0);
      const id = (await findWorkspace(store.db, defaultWorkspace))?.id ?? '';
      this.#people = new People(id, this.#served, {
        isPruned: this.#isPruned,
        hasDeletions: this.#plan.hasDeletions,
        hasHolds: this.#plan.hasHolds,
        hasMutes: this.#plan.hasMutes,
        hasSpent: this.#plan.hasSpent,
        makeUps: this.#plan.makeUps,
        theme: this.#plan.theme,
      });
      const app = quietApp({ store, clock: maker.clock, allowTargets: loopback });
      for (const [path, afterFailures] of receivers) {
        const config = { url: `http://127.0.0.1:1${path}` };
        const alsoOn = afterFailures === 1 ? alsoOnWords : [];
        const input = { name: path, type: 'webhook', config, afterFailures, alsoOn } as const;
        await createChannel(app, writerIn(id), { ...input, alsoOn: [...alsoOn] });
      }
    });
    await this.#pass(10_000);
    await done;
  }

  /** The first jobs. */
  #make(): void {
    const [node] = this.#nodes;
    const people = this.#people;
    if (node?.app === undefined || people === undefined)
      return world().fail('start', 'no node serves');
    const { app } = node;
    // One after the other, as some run after earlier ones.
    const make = async (): Promise<void> => {
      for (let made = 0; made < this.#plan.jobs; made += 1) {
        if (this.#plan.without.jobs.includes(made)) continue;
        const dice = world().dice(`job ${made}`);
        await people.answer(node, 'create', people.create({ app, dice }));
      }
    };
    as(node, () => void make());
  }

  #node(name: string): SimulatedNode {
    const { targets } = this;
    const around: Surroundings = {
      disk: this.#disk,
      targets,
      plan: this.#plan,
      nodes: this.#served,
    };
    return new SimulatedNode(name, around);
  }

  #start(place: number): void {
    const before = this.#nodes[place];
    const node = this.#node(`node${(this.#started += 1)}`);
    const isCalm = this.#plan.faults.length === 0;
    node.leadMs = before?.leadMs ?? (isCalm ? 0 : world().dice('clocks').between(-200, 200));
    this.#nodes[place] = node;
    if (this.#started === 1) {
      node.strike = this.#strike;
      if (this.#hasSites) node.sites = [];
      this.#first = node;
    }
    node.start();
    this.#watch(place, node);
  }

  /** Starts another one when it has ended. */
  #watch(place: number, node: SimulatedNode): void {
    const look = (): void => {
      if (!node.isDead) return void world().after(500, look, null);
      const ms = this.#isOver ? 100 : world().dice('faults').between(10, 20_000);
      world().after(ms, () => this.#start(place), null);
    };
    look();
  }

  /** Each has a number, by which a plan may leave it out. */
  #repeat(what: 'asks' | 'faults', meanMs: number, run: (number: number) => void): void {
    const dice = world().dice(what);
    const next = (): void => {
      if (this.#isOver) return;
      const number = this.counts[what];
      if (!this.#plan.without[what].includes(number)) run(number);
      this.counts[what] += 1;
      world().after(dice.pauseMs(meanMs), next, null);
    };
    world().after(dice.pauseMs(meanMs), next, null);
  }

  #disturb(number: number): void {
    const dice = world().dice(`fault ${number}`);
    const node = dice.pick(this.#nodes);
    const { faults, theme } = this.#plan;
    const kind = dice.pick(theme !== null && dice.chance(0.5) ? theme.faults : faults);
    if (node.isDead) return;
    world().note(`fault ${number}: ${kind} of ${node.name}`);
    this.#faults[kind](node, dice);
  }

  readonly #faults: Record<FaultKind, (node: SimulatedNode, dice: Dice) => void> = {
    kill(node) {
      world().meets('kill', 2_000);
      node.kill();
    },
    strike: (node, dice) => (node.strike = { inUses: dice.between(1, 60), kind: 'kill' }),
    doubt: (node, dice) => (node.strike = { inUses: dice.between(1, 60), kind: 'doubt' }),
    error: (node, dice) => (node.strike = { inUses: dice.between(1, 60), kind: 'error' }),
    freeze: (node, dice) => node.freeze(dice.pick([700, 4_000, 20_000, 90_000])),
    stall: (node, dice) => node.freeze(dice.between(10, 3_000)),
    cut: (node, dice) => (node.cutUntil = lasting('cut', dice.between(1_000, 40_000))),
    full: (node, dice) => (node.fullUntil = lasting('full', dice.between(1_000, 60_000))),
    stop(node) {
      world().meets('stop', 2_000);
      node.stop();
    },
    clock: (node, dice) => this.#setClock(node, dice),
    expiry: (node, dice) => this.#people?.letExpire(node, dice),
  };

  /** Alone, a node goes by the clock of its machine; several go by that of their database. */
  #setClock(node: SimulatedNode, dice: Dice): void {
    // Five minutes later jobs have missed due times that can be made up for.
    const isLater = this.#plan.theme !== null && dice.chance(0.5);
    const step = isLater ? 300_000 : dice.pick([1_500, 30_000, 300_000, 7_200_000, 86_400_000]);
    const ms = step * (isLater ? 1 : dice.pick([-1, 1]));
    world().note(`clock ${ms} ms`);
    world().meets('clock', 2_000);
    if (this.#plan.nodes === 1 || dice.chance(0.5)) node.leadMs += ms;
    else this.#disk.clockLeadMs += ms;
  }

  /** A target that tries to report gets a minute after a start (docs/behavior.md#report-5). */
  #requireGrace(runId: string): void {
    const since = this.targets.reporting.get(runId);
    if (since === undefined || this.#plan.faults.includes('clock')) return;
    const startedAt = Math.min(...this.#nodes.map((node) => node.startedAt));
    const ms = world().now - startedAt;
    if (startedAt > since && ms < 60_000)
      world().fail('report-5', `run ${runId} has expired ${ms} ms after a start`);
  }

  async #check(): Promise<void> {
    if (world().failure !== null) return;
    const [node] = this.#nodes;
    if (node?.app === undefined) return world().fail('start', 'no node serves at the end');
    const { app } = node;
    const people = this.#people;
    if (people === undefined) return;
    const { targets } = this;
    const isPruned = this.#isPruned;
    const { faults, hooksThatAnswer, hasMutes } = this.#plan;
    const isCalm = faults.length === 0 && hooksThatAnswer === 1 && !hasMutes;
    const seen = { rules: this.#rules, people, targets, receivers };
    const books = {
      disk: this.#disk,
      ...seen,
      isPruned,
      isCalm,
      isMuted: hasMutes,
      isClockSet: faults.includes('clock'),
    };
    const done = as(node, () => requireRest(node.store, app.clock, books));
    await this.#pass(10_000);
    await done;
  }
}
