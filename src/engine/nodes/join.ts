/**
 * Joins the nodes of a database on a server (docs/decisions/0050-nodes.md#nodes-a-lease-a-declaration-a-leader). A node trusts
 * its lease 2 s less than it lasts, by the monotonic clock. Who declares another one gone has held its own lease for as long
 * without a break: when the database was away for all, none is. Who comes back after it was declared gone is the youngest.
 */

import { wrongClockMs, type Clock } from '../../domain/clock.ts';
import type { Meter } from '../../domain/meter.ts';
import { newId } from '../../domain/id.ts';
import {
  leaderOf,
  leaseMarginMs,
  leaseMs,
  nodeName,
  openRoleOf,
  renewEveryMs,
} from '../../domain/nodes.ts';
import type { NodeStatus } from '../../domain/nodes.ts';
import type { Hindrance } from '../../domain/runs/due.ts';
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
import type { Node, Renewal, NodeStats } from '../../store/nodes/nodes.ts';
import { startLoop, type Loop } from '../loop.ts';
import { ConfirmedRuns, type ForgottenRuns } from './confirmed-runs.ts';
import { downtimeOf, type Membership } from './membership.ts';
import { SeenNodes, type SeenNode } from './seen.ts';

export interface JoinParts {
  store: Store;
  /** The clocks of this machine. */
  machine: Clock;
  clock: DatabaseClock;
  log: Log;
  meter: Pick<Meter, 'databaseLost'>;
  node: Omit<Node, 'id'>;
  /** What it tells at each renewal. */
  readonly stats: () => Omit<NodeStats, 'clockLeadMs' | 'isDraining' | 'settings'>;
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
  readonly #seen = new SeenNodes();
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
  /** The id under which the log says that it is the leader; empty if it does not. */
  #leaderId = '';
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

  get downtime(): Hindrance | null {
    return downtimeOf(this.#latest?.servedUntil ?? null, this.servingSince);
  }

  get reachableSince(): number {
    return this.#reachableSince;
  }

  /** A newer jobd has changed the tables, or the store was moved: this one continues to record how its calls end, and begins no others. */
  get trouble(): string | null {
    const { schemaVersion: version = 0, moved = null } = this.#latest ?? {};
    return version > newestVersion ? newer(version).message : moved;
  }

  /** Whether another node should lead. */
  get #handsOver(): boolean {
    return this.#isDraining || this.trouble !== null;
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
    if (sleptMs >= leaseMarginMs || this.trouble !== null) return 0;
    return Math.max(0, this.#trustedUntilMs - machine.monotonicMs());
  }

  leads(): boolean {
    const nodes = this.#nodes();
    // Until the others know of this node, one of them may lead.
    const isKnown = nodes.every(({ id, knowsThis }) => id === this.#nodeId || knowsThis);
    return isKnown && leaderOf(nodes)?.id === this.#nodeId && this.mayBegin();
  }

  status(): NodeStatus {
    const { clock } = this.#parts;
    const nodes = this.#nodes();
    const leader = leaderOf(nodes);
    return {
      roles: nodes.map((node) => openRoleOf(node, node === leader)),
      leads: this.leads(),
      leaseLeftMs: this.mayBeginForMs(),
      clockLeadMs: clock.leadMs(),
    };
  }

  hasOthers(): boolean {
    return this.#nodes().some(({ id, isLive }) => isLive && id !== this.#nodeId);
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
    this.#seen.forget();
    await this.#ask(() => addNode(store, { id, ...node }));
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
        'this node could not renew its lease and was declared gone: its calls are given up, and it continues under a new id',
      );
    } else {
      log.error(
        about,
        'the database does not know this node any more: its calls are given up, and it continues under a new id',
      );
    }
  }

  start(): void {
    this.#reportLeading();
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
    this.#reportLeading();
    const { machine } = this.#parts;
    const isDue = machine.monotonicMs() >= this.#renewAtMs;
    if (isDue || this.#isKnownToDrain() !== this.#handsOver) {
      const couldBegin = this.mayBegin();
      try {
        if (this.#nodeId !== '') await this.#renew();
        if (this.#nodeId === '') await this.join();
      } catch (error) {
        this.#isCut = true;
        throw error;
      }
      this.#compareClocks();
      this.#reportTrouble(couldBegin);
      this.#reportLeading();
    }
    const silentAtMs = await this.#declareGone();
    return Math.min(this.#renewAtMs, silentAtMs) - machine.monotonicMs();
  }

  /** All that have not ended, as they were at the last renewal, the oldest first. */
  #nodes(): SeenNode[] {
    const isDraining = this.#handsOver;
    const seen = this.#seen.at(this.#parts.machine.monotonicMs());
    return seen.map((node) => (node.id === this.#nodeId ? { ...node, isDraining } : node));
  }

  #isKnownToDrain(): boolean {
    const known = this.#latest?.nodes ?? [];
    return known.some(({ id, isDraining }) => id === this.#nodeId && isDraining);
  }

  async #renew(): Promise<void> {
    const { store, clock, node } = this.#parts;
    const { settings } = node;
    const own = { clockLeadMs: clock.leadMs(), isDraining: this.#handsOver, settings };
    const stats = { ...this.#parts.stats(), ...own };
    const renewal = await this.#ask(() => renewNode(store, this.#nodeId, stats));
    if (renewal === null) return await this.#giveUp();
    if (this.#isCut) this.#reachableSince = clock.now();
    this.#isCut = false;
    this.#confirmed += 1;
    if (renewal.renewals < this.#confirmed) this.#raiseDoubt('certain');
    this.#confirmed = renewal.renewals;
  }

  /** After a sign that another server answers: does it know what the one before confirmed? It takes its time, beside the renewals. */
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
    const receivedMs = machine.monotonicMs();
    this.#latest = renewal;
    this.#seen.see(renewal.nodes, receivedMs);
    this.#compareServers(renewal);
    this.#leadMs = leadMs;
    this.#trustedUntilMs = sentMs + leaseMs - leaseMarginMs;
    this.#renewAtMs = sentMs + renewEveryMs;
    clock.correct(renewal.now, { sentMs, receivedMs });
    return renewal;
  }

  #compareServers({ serverStartedAt }: Renewal): void {
    const isOther = this.#serverStartedAt !== 0 && serverStartedAt !== this.#serverStartedAt;
    if (isOther) this.#raiseDoubt('possible');
    this.#serverStartedAt = serverStartedAt;
  }

  /** The database has no such open node: what it has in flight is no longer its own. */
  async #giveUp(): Promise<void> {
    const { store, stats } = this.#parts;
    const isKnown = await isKnownNode(store.db, this.#nodeId);
    this.#raiseDoubt(isKnown ? 'possible' : 'certain');
    this.#lost = { isKnown, goneId: this.#nodeId, lostCalls: stats().calls };
    this.#nodeId = '';
    this.#trustedUntilMs = -Infinity;
    this.#onGone();
  }

  /** Declares those gone that are silent. Returns when the next one may be, by the monotonic clock. */
  async #declareGone(): Promise<number> {
    const { store, log, machine } = this.#parts;
    const now = machine.monotonicMs();
    if (now >= this.#trustedUntilMs) return this.#renewAtMs;
    // For what was before, this node cannot know whether any other one could renew its lease.
    const silentAtMs = ({ atMs }: SeenNode): number => Math.max(atMs, this.#heldSinceMs) + leaseMs;
    const others = this.#nodes().filter(({ id }) => id !== this.#nodeId);
    const silent = others.filter((node) => silentAtMs(node) <= now);
    if (silent.length === 0) return Math.min(...others.map(silentAtMs));
    const gone = await endSilentNodes(store, silent);
    // What became of the others, which another node may have declared gone, and who leads now.
    this.#renewAtMs = now;
    if (gone.length > 0) {
      const named = { nodes: gone.map(nodeName), nodeIds: gone.map(({ id }) => id) };
      log.warn(named, 'nodes that do not renew their leases are gone');
    }
    return now;
  }

  #reportTrouble(couldBegin: boolean): void {
    const { trouble } = this;
    const { log } = this.#parts;
    if (trouble !== null && !this.#isOutdated)
      log.error({ error: trouble }, 'this node begins nothing any more and hands the lead over');
    this.#isOutdated = trouble !== null;
    if (!couldBegin && !this.#isDraining && this.mayBegin())
      log.info({ nodeId: this.#nodeId }, 'this node begins calls again');
  }

  #reportLeading(): void {
    const { log } = this.#parts;
    const [before, now] = [this.#leaderId, this.leads() ? this.#nodeId : ''];
    if (before === now) return;
    this.#leaderId = now;
    if (before !== '') log.info({ nodeId: before }, 'this node is the leader no more');
    if (now !== '') log.info({ nodeId: now }, 'this node is the leader');
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
