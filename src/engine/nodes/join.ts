/**
 * Joins the nodes of a database on a server. A node has a lease of 15 s by the clock of the database, and renews it every 3 s.
 * It trusts it by the monotonic clock of its machine, 2 s less: nobody else can think it gone while it begins something.
 *
 * A node whose lease has run out is declared gone by one that has held its own without a break for as long as a lease lasts: when
 * the database was away for all, all may renew first. The oldest live node keeps house; one that drains hands that over.
 */

import { wrongClockMs } from '../../domain/clock.ts';
import type { Clock } from '../../domain/clock.ts';
import type { Meter } from '../../domain/meter.ts';
import { newId } from '../../domain/id.ts';
import { keeperOf, nodeName, openRoleOf } from '../../domain/nodes.ts';
import type { Standing } from '../../domain/nodes.ts';
import type { Log } from '../../base/log.ts';
import type { Store } from '../../store/database/store.ts';
import type { DatabaseClock } from '../../store/nodes/database-clock.ts';
import { newer, newestVersion } from '../../store/database/migrate.ts';
import {
  addNode,
  endNode,
  endSilentNodes,
  isKnownNode,
  recordLoss,
  renewNode,
} from '../../store/nodes/nodes.ts';
import type { Node, OpenNode, Renewal, Vitals } from '../../store/nodes/nodes.ts';
import { startLoop } from '../loop.ts';
import type { Loop } from '../loop.ts';
import { ConfirmedRuns } from './confirmed-runs.ts';
import type { ForgottenRuns } from './confirmed-runs.ts';
import type { Membership } from './membership.ts';

/** How long a lease lasts, how often it is renewed, and how much earlier it is no longer trusted, in milliseconds. */
const leaseMs = 15_000;
const renewEveryMs = 3_000;
const marginMs = 2_000;

export interface JoinParts {
  store: Store;
  /** The clocks of this machine. */
  machine: Clock;
  clock: DatabaseClock;
  log: Log;
  meter: Pick<Meter, 'databaseLost'>;
  node: Omit<Node, 'id'>;
  /** What it tells at each renewal. */
  readonly vitals: () => Omit<Vitals, 'clockLeadMs' | 'isDraining' | 'settings'>;
}

/** The membership of a node. Disposing of it says that the node stopped. */
export interface NodeMembership extends Membership, AsyncDisposable {
  readonly nodeId: string;
}

/** Adds this process to the nodes, and renews its lease from now on. */
export async function joinNodes(parts: JoinParts): Promise<NodeMembership> {
  const membership = new Renewing(parts);
  await membership.join();
  membership.start();
  return membership;
}

class Renewing implements NodeMembership {
  readonly confirmed: ConfirmedRuns;
  readonly #parts: JoinParts;
  #nodeId = '';
  #latest: Renewal | undefined;
  /** Renewals that the database has confirmed. */
  #confirmed = 0;
  /** When the server started that confirmed the last one. */
  #serverStartedAt = 0;
  /** Whether the database may have lost what it had confirmed, and whether that is certain. */
  #doubt: 'none' | 'possible' | 'certain' = 'none';
  /** What it lost since this node has its id. */
  #forgotten: ForgottenRuns = { calls: 0, outcomes: 0 };
  #isUnsaved = false;
  /** Until when the lease is trusted, and since when it was held without a break, by the monotonic clock. */
  #trustedUntilMs = -Infinity;
  #heldSinceMs = Infinity;
  /** How far the wall clock was ahead of the monotonic one at the last renewal: a machine that slept gains. */
  #leadMs = 0;
  #renewAtMs = 0;
  #reachableSince = 0;
  /** What it gave up when it had to take a new id, and whether the old one is known, until that is said. */
  #lost: { isKnown: boolean; goneId: string; lostCalls: number } | null = null;
  #isCut = false;
  #isDraining = false;
  #isClockWrong = false;
  #isOutdated = false;
  #isKeeper = false;
  #onGone = (): void => {};
  #loops: Loop[] = [];

  constructor(parts: JoinParts) {
    this.#parts = parts;
    this.confirmed = new ConfirmedRuns(parts.machine);
  }

  get nodeId(): string {
    return this.#nodeId;
  }

  get servingSince(): number {
    return this.#latest?.servingSince ?? this.#parts.clock.now();
  }

  get reachableSince(): number {
    return this.#reachableSince;
  }

  /** A newer jobd has changed the tables, or the store was moved: this one goes on to record how its calls end, and begins no others. */
  get trouble(): string | null {
    const { schemaVersion: version = 0, moved = null } = this.#latest ?? {};
    return version > newestVersion ? newer(version).message : moved;
  }

  onGone(listener: () => void): void {
    this.#onGone = listener;
  }

  mayBegin(): boolean {
    return this.mayBeginForMs() > 0;
  }

  mayBeginForMs(): number {
    const { machine } = this.#parts;
    const sleptMs = machine.now() - machine.monotonicMs() - this.#leadMs;
    if (sleptMs >= marginMs || this.trouble !== null) return 0;
    return Math.max(0, this.#trustedUntilMs - machine.monotonicMs());
  }

  keepsHouse(): boolean {
    return keeperOf(this.#nodes())?.id === this.#nodeId && this.mayBegin();
  }

  standing(): Standing {
    const { clock } = this.#parts;
    const nodes = this.#nodes();
    const keeper = keeperOf(nodes);
    return {
      roles: nodes.map((node) => openRoleOf(node, keeper)),
      keepsHouse: this.keepsHouse(),
      leaseLeftMs: this.mayBeginForMs(),
      clockLeadMs: clock.leadMs(),
    };
  }

  hasOthers(): boolean {
    return this.#latest?.nodes.some(({ id, isLive }) => isLive && id !== this.#nodeId) ?? false;
  }

  drain(): void {
    this.#isDraining = true;
    for (const loop of this.#loops) loop.wake();
  }

  /** Takes an id of its own, for the first time or since the last one was declared gone. */
  async join(): Promise<void> {
    const { store, clock, log, node } = this.#parts;
    const id = newId(clock.now());
    this.#confirmed = 0;
    if (!this.#isUnsaved) this.#forgotten = { calls: 0, outcomes: 0 };
    await this.#ask(() => addNode(store, { id, ...node }, leaseMs));
    this.#nodeId = id;
    this.#reachableSince = this.servingSince;
    if (this.#lost === null)
      return log.info({ node: nodeName(node), nodeId: id }, 'this node serves');
    const { isKnown, ...lost } = this.#lost;
    this.#lost = null;
    const about = { ...lost, nodeId: id };
    if (isKnown) {
      log.error(
        about,
        'this node could not renew its lease and was declared gone: its calls are given up, and it goes on under a new id',
      );
    } else {
      log.error(
        about,
        'the database does not know this node any more: its calls are given up, and it goes on under a new id',
      );
    }
  }

  start(): void {
    this.#reportKeeping();
    const { log, machine: clock } = this.#parts;
    this.#loops = [
      startLoop('membership', () => this.#step(), { log, clock }),
      startLoop('losses', () => this.#lookForLoss(), { log, clock }),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const loop of this.#loops) await loop[Symbol.asyncDispose]();
    this.#trustedUntilMs = -Infinity;
    // Without an answer its lease runs out.
    await endNode(this.#parts.store, this.#nodeId).catch(() => {});
  }

  async #step(): Promise<number> {
    const { machine } = this.#parts;
    const leftMs = this.#renewAtMs - machine.monotonicMs();
    if (leftMs > 0 && this.#isKnownToDrain() === this.#isDraining) return leftMs;
    try {
      if (this.#nodeId !== '') await this.#renew();
      if (this.#nodeId === '') await this.join();
    } catch (error) {
      this.#isCut = true;
      throw error;
    }
    this.#compareClocks();
    this.#reportTrouble();
    this.#reportKeeping();
    if (machine.monotonicMs() - this.#heldSinceMs >= leaseMs) await this.#declareGone();
    return renewEveryMs;
  }

  /** All that have not ended, as they were at the last renewal, the oldest first. */
  #nodes(): OpenNode[] {
    const known = this.#latest?.nodes ?? [];
    const isDraining = this.#isDraining;
    return known.map((node) => (node.id === this.#nodeId ? { ...node, isDraining } : node));
  }

  #isKnownToDrain(): boolean {
    return (
      this.#latest?.nodes.some(({ id, isDraining }) => id === this.#nodeId && isDraining) ?? false
    );
  }

  async #renew(): Promise<void> {
    const { store, clock, node } = this.#parts;
    const { settings } = node;
    const own = { clockLeadMs: clock.leadMs(), isDraining: this.#isDraining, settings };
    const vitals = { ...this.#parts.vitals(), ...own };
    const renewal = await this.#ask(() => renewNode(store, this.#nodeId, { leaseMs, ...vitals }));
    if (renewal === null) return await this.#giveUp();
    if (this.#isCut) this.#reachableSince = clock.now();
    this.#isCut = false;
    this.#confirmed += 1;
    if (renewal.renewals < this.#confirmed) this.#raiseDoubt('certain');
    this.#confirmed = renewal.renewals;
  }

  /**
   * After a sign that another server answers: whether it knows what the one before had confirmed. It takes its time, beside the
   * renewals.
   */
  async #lookForLoss(): Promise<number> {
    const { store, log, meter } = this.#parts;
    const doubt = this.#doubt;
    this.#doubt = 'none';
    if (doubt !== 'none') {
      const found = await this.confirmed.countForgotten(store.db).catch((error: unknown) => {
        this.#raiseDoubt(doubt);
        throw error;
      });
      if (doubt === 'certain' || found.calls + found.outcomes > 0) {
        this.#forgotten.calls += found.calls;
        this.#forgotten.outcomes += found.outcomes;
        this.#isUnsaved = true;
        meter.databaseLost(found);
        log.error(
          found,
          'the database has lost what it had confirmed: calls of the last moments may be made again',
        );
      }
    }
    if (this.#isUnsaved && this.#nodeId !== '') {
      await recordLoss(store, this.#nodeId, this.#forgotten);
      this.#isUnsaved = false;
    }
    return Infinity;
  }

  #raiseDoubt(doubt: 'possible' | 'certain'): void {
    if (this.#doubt !== 'certain') this.#doubt = doubt;
  }

  /** Asks for the lease. A renewal whose answer does not come may count. */
  async #ask<R extends Renewal | null>(question: () => Promise<R>): Promise<R> {
    const { machine, clock } = this.#parts;
    const sentMs = machine.monotonicMs();
    const leadMs = machine.now() - sentMs;
    const renewal = await question();
    if (renewal === null) return renewal;
    if (sentMs > this.#trustedUntilMs) this.#heldSinceMs = sentMs;
    this.#latest = renewal;
    this.#compareServers(renewal);
    this.#leadMs = leadMs;
    this.#trustedUntilMs = sentMs + leaseMs - marginMs;
    this.#renewAtMs = sentMs + renewEveryMs;
    clock.correct(renewal.now, { sentMs, receivedMs: machine.monotonicMs() });
    return renewal;
  }

  #compareServers({ serverStartedAt }: Renewal): void {
    const isOther = this.#serverStartedAt !== 0 && serverStartedAt !== this.#serverStartedAt;
    if (isOther) this.#raiseDoubt('possible');
    this.#serverStartedAt = serverStartedAt;
  }

  /** The database has no such open node: what it has in flight is no longer its own. */
  async #giveUp(): Promise<void> {
    const { store, vitals } = this.#parts;
    const isKnown = await isKnownNode(store.db, this.#nodeId);
    this.#raiseDoubt(isKnown ? 'possible' : 'certain');
    this.#lost = { isKnown, goneId: this.#nodeId, lostCalls: vitals().calls };
    this.#nodeId = '';
    this.#trustedUntilMs = -Infinity;
    this.#onGone();
  }

  async #declareGone(): Promise<void> {
    if (this.#latest?.nodes.every(({ isLive }) => isLive)) return;
    const { store, log } = this.#parts;
    const gone = await endSilentNodes(store);
    if (gone.length === 0) return;
    const named = { nodes: gone.map(nodeName), nodeIds: gone.map(({ id }) => id) };
    log.warn(named, 'nodes that do not renew their leases are gone');
  }

  #reportTrouble(): void {
    const { trouble } = this;
    if (trouble !== null && !this.#isOutdated) {
      this.#parts.log.error({ error: trouble }, 'this node begins nothing any more');
    }
    this.#isOutdated = trouble !== null;
  }

  #reportKeeping(): void {
    const keeps = this.keepsHouse();
    if (keeps && !this.#isKeeper)
      this.#parts.log.info({ nodeId: this.#nodeId }, 'this node is the keeper');
    this.#isKeeper = keeps;
  }

  #compareClocks(): void {
    const { clock, log } = this.#parts;
    const leadMs = clock.leadMs();
    const isWrong = Math.abs(leadMs) > wrongClockMs;
    if (isWrong === this.#isClockWrong) return;
    this.#isClockWrong = isWrong;
    if (isWrong) {
      log.warn(
        { leadMs },
        'the clock of this machine differs from that of the database, which due times go by: set one of them',
      );
    } else log.info({ leadMs }, 'the clock of this machine agrees with that of the database again');
  }
}
