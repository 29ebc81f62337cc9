/** One history: a world, its nodes, targets and people, and what disturbs them, all from a seed. */

import { createChannel } from '../../src/app/alerts/channels.ts';
import { newId } from '../../src/domain/id.ts';
import {
  ensureDefaultWorkspace,
  defaultWorkspace,
  findWorkspace,
} from '../../src/store/accounts/workspaces.ts';
import { activateMasterKey } from '../../src/store/secrets/master-keys.ts';
import { testMasterKeyId } from '../support/fakes/vault.ts';
import { writerIn } from '../support/records/principal.ts';
import { Disk } from './disk.ts';
import { SimulatedNode, type Strike, type Surroundings } from './node.ts';
import { People } from './people.ts';
import { planOf, type FaultKind, type Plan } from './plan.ts';
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
  /** How often the first node used its database. */
  uses: number;
  /** How much time passed in it, in milliseconds. */
  passedMs: number;
  arrivals: number;
}

const startsAt = Date.parse('2026-03-02T10:00:17Z');
/** How long everything has to come to rest. */
const restMs = 220_000;

/** What makes a history another one than its seed alone. */
export interface Changes {
  plan?: Partial<Plan>;
  /** What happens to the first node, once. */
  strike?: Strike;
  onLine?: ((line: string) => void) | undefined;
}

/** Simulates the history of a seed. */
export async function simulate(seed: number, changes: Changes = {}): Promise<Told> {
  const made = enter(new World(seed, startsAt, changes.onLine));
  const plan = { ...planOf(made), ...changes.plan };
  made.note(JSON.stringify(plan));
  const history = new History(plan, changes.strike ?? null);
  await history.play();
  return {
    seed,
    plan,
    failure: made.failure,
    hash: made.hash(),
    lines: made.lines,
    pairs: made.pairs,
    uses: history.uses,
    passedMs: made.now - startsAt,
    arrivals: history.targets.arrivals.length,
  };
}

class History {
  readonly targets: Targets;
  readonly #plan: Plan;
  readonly #disk = new Disk();
  readonly #rules: Rules;
  readonly #nodes: SimulatedNode[] = [];
  #people: People | undefined;
  #started = 0;
  #first: SimulatedNode | undefined;
  #isOver = false;
  readonly #strike: Strike | null;

  constructor(plan: Plan, strike: Strike | null) {
    this.#plan = plan;
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
    this.#rules = new Rules(this.#disk, { isPunctual, leaders });
    this.targets.onArrival = (arrival) => this.#rules.onArrival(arrival);
  }

  readonly #served = (): readonly SimulatedNode[] => this.#nodes;

  /** How often the first node used its database. */
  get uses(): number {
    return this.#first?.uses ?? 0;
  }

  async play(): Promise<void> {
    const { lengthMs, faults, faultEveryMs, askEveryMs } = this.#plan;
    await this.#prepare();
    for (let place = 0; place < this.#plan.nodes; place += 1) this.#start(place);
    await this.#pass(1_000);
    this.#make();
    this.#repeat('people', askEveryMs, () => this.#people?.ask());
    if (faults.length > 0) this.#repeat('faults', faultEveryMs, () => this.#disturb());
    await this.#pass(lengthMs);
    this.#isOver = true;
    this.targets.isCalm = true;
    for (const node of this.#nodes) [node.strike, node.cutUntil] = [null, 0];
    await this.#pass(restMs);
    for (let more = 0; more < 60 && this.#rules.isBusy(); more += 1) await this.#pass(120_000);
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
      this.#people = new People(id, this.#served);
    });
    await this.#pass(10_000);
    await done;
  }

  /** The first jobs, and where alerts go. */
  #make(): void {
    const [node] = this.#nodes;
    const people = this.#people;
    if (node?.app === undefined || people === undefined)
      return world().fail('start', 'no node serves');
    const { app } = node;
    as(node, () => {
      const config = { url: 'http://127.0.0.1:1/hook' };
      const input = { name: 'hook', type: 'webhook', config } as const;
      void people.answer(node, 'channel', createChannel(app, writerIn(people.workspaceId), input));
      for (let made = 0; made < this.#plan.jobs; made += 1) {
        void people.answer(node, 'create', people.create(app));
      }
    });
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

  #repeat(stream: string, meanMs: number, run: () => void): void {
    const dice = world().dice(stream);
    const next = (): void => {
      if (this.#isOver) return;
      run();
      world().after(dice.pauseMs(meanMs), next, null);
    };
    world().after(dice.pauseMs(meanMs), next, null);
  }

  #disturb(): void {
    const dice = world().dice('faults');
    const node = dice.pick(this.#nodes);
    const kind = dice.pick(this.#plan.faults);
    if (node.isDead) return;
    world().note(`fault: ${kind} of ${node.name}`);
    if (kind !== 'freeze') world().meets(kind, kind === 'cut' ? 20_000 : 2_000);
    this.#faults[kind](node);
  }

  readonly #faults: Record<FaultKind, (node: SimulatedNode) => void> = {
    kill: (node) => node.kill(),
    strike: (node) =>
      (node.strike = { inUses: world().dice('faults').between(1, 60), kind: 'kill' }),
    doubt: (node) =>
      (node.strike = { inUses: world().dice('faults').between(1, 60), kind: 'doubt' }),
    error: (node) =>
      (node.strike = { inUses: world().dice('faults').between(1, 60), kind: 'error' }),
    freeze: (node) => node.freeze(world().dice('faults').pick([700, 4_000, 20_000, 90_000])),
    cut: (node) => (node.cutUntil = world().now + world().dice('faults').between(1_000, 40_000)),
    stop: (node) => node.stop(),
    clock: (node) => this.#setClock(node),
    stall: (node) => node.freeze(world().dice('faults').between(10, 3_000)),
  };

  /** Alone, a node goes by the clock of its machine; several go by that of their database. */
  #setClock(node: SimulatedNode): void {
    const dice = world().dice('clocks');
    const ms = dice.pick([1_500, 30_000, 300_000, 7_200_000]) * dice.pick([-1, 1]);
    world().note(`clock ${ms} ms`);
    if (ms < 0) this.#rules.wasSetBack = true;
    if (this.#plan.nodes === 1 || dice.chance(0.5)) node.leadMs += ms;
    else this.#disk.clockLeadMs += ms;
  }

  async #check(): Promise<void> {
    if (world().failure !== null) return;
    const [node] = this.#nodes;
    if (node?.app === undefined) return world().fail('start', 'no node serves at the end');
    const { app } = node;
    const people = this.#people;
    if (people === undefined) return;
    const { targets } = this;
    const done = as(node, () => this.#rules.atRest(node.store, app.clock, { people, targets }));
    await this.#pass(10_000);
    await done;
  }
}
