/**
 * The nodes: processes that serve a database on a server, together. Each start is a node of its own, whose id is never used
 * again. A node has a lease and renews it; one that is not seen to do so is declared gone, once. Until when a lease holds by the
 * clock of the database is for those who look once: commands, and nodes that start.
 */

import { sql, type SqlBool } from 'kysely';
import { leaseMs, longestLeaseMs } from '../../domain/nodes.ts';
import type { Loss, NodePlace, NodeState } from '../../domain/nodes.ts';
import type { LatenessCounts } from '../../domain/runs/lateness.ts';
import { databaseNow } from '../database/dialect.ts';
import { appliedVersion, findMove } from '../database/migrate.ts';
import type { Db, Store } from '../database/store.ts';

/** A process that starts to serve. */
export interface Node extends NodePlace {
  id: string;
  version: string;
  /** The most calls in flight. */
  slots: number;
  /** What all nodes should have in common: values by the names of their options. */
  settings: Settings;
  /** Ids of the master keys that it has. */
  masterKeys: string[];
}

/** Values by the names of their options. */
export type Settings = Readonly<Record<string, string>>;

/** A node that the database knows. Times are epoch milliseconds by the clock of the database. */
export interface KnownNode extends Node {
  startedAt: number;
  expiresAt: number;
  renewals: number;
  /** How far the clock of its machine is ahead of the database's. */
  clockLeadMs: number;
  /** Calls in flight at its last renewal. */
  calls: number;
  /** Whether it begins nothing more and stops when its calls have ended. */
  isDraining: boolean;
  endedAt: number | null;
  endReason: 'stopped' | 'silent' | null;
}

/** A node that has not ended. */
export interface OpenNode extends Pick<NodeState, 'isDraining'> {
  id: string;
  /** How often its lease was renewed. */
  renewals: number;
}

/** A node that was declared gone. */
export type EndedNode = NodePlace & Pick<Node, 'id'>;

/** What a node tells at each renewal. */
export interface NodeStats {
  clockLeadMs: number;
  calls: number;
  isDraining: boolean;
  /** How late its runs began in the last hour. */
  lateness: LatenessCounts;
  settings: Settings;
}

/** What a node learns at each renewal. */
export interface Renewal {
  /** The time by the clock of the database. */
  now: number;
  /** When the server started, in epoch milliseconds: another time means another server, or a restart. */
  serverStartedAt: number;
  /** How often its lease was renewed, as the database has it. */
  renewals: number;
  /** Since when there always was a live node. */
  servingSince: number;
  /** When a node showed before that that it serves, for the last time; null if that is not known. */
  servedUntil: number | null;
  /** How many migrations were applied: more than this jobd knows if a newer one serves too. */
  schemaVersion: number;
  /** Where the store was moved to, in a sentence; null if it was not. A node that slept meanwhile may not know. */
  moved: string | null;
  /** All that have not ended, the oldest first. */
  nodes: OpenNode[];
}

/** As `isLeaseValid` of the domain. */
export const isLive = sql<SqlBool>`expires_at > ${databaseNow} and expires_at <= ${databaseNow} + ${longestLeaseMs}`;

/** Those that serve now, the oldest first. */
export async function findLiveNodes(db: Db): Promise<KnownNode[]> {
  const rows = await knownNodes(db).where('ended_at', 'is', null).where(isLive).execute();
  return rows.map(knownNodeOf);
}

/** Those that have not ended, and those that ended after `since`, the oldest first. */
export async function listNodes(db: Db, since: number): Promise<KnownNode[]> {
  const rows = await knownNodes(db)
    .where((of) => of.or([of('ended_at', 'is', null), of('ended_at', '>', since)]))
    .execute();
  return rows.map(knownNodeOf);
}

function knownNodeOf<Row extends { settings: string; masterKeys: string; isDraining: number }>(
  row: Row,
) {
  const settings = JSON.parse(row.settings) as Settings;
  const masterKeys = JSON.parse(row.masterKeys) as string[];
  return { ...row, settings, masterKeys, isDraining: row.isDraining === 1 };
}

function knownNodes(db: Db) {
  return db
    .selectFrom('nodes')
    .select(['id', 'host', 'pid', 'version', 'slots', 'settings', 'renewals', 'calls'])
    .select(['master_keys as masterKeys', 'is_draining as isDraining'])
    .select(['started_at as startedAt', 'expires_at as expiresAt', 'clock_lead_ms as clockLeadMs'])
    .select(['ended_at as endedAt', 'end_reason as endReason'])
    .orderBy('id');
}

/** How late runs began in the last hour on each node that serves, but for this one. */
export async function findLatenessOfOthers(db: Db, id: string): Promise<LatenessCounts[]> {
  const others = db.selectFrom('nodes').select('lateness').where('id', '<>', id);
  const rows = await others.where('ended_at', 'is', null).where(isLive).execute();
  return rows.map(({ lateness }) => new Map(JSON.parse(lateness) as [number, number][]));
}

/** Adds a node, with a lease. */
export async function addNode(
  store: Store,
  { settings, masterKeys, ...rest }: Node,
): Promise<Renewal> {
  return await store.write(async (tx) => {
    const live = tx.selectFrom('nodes').where('ended_at', 'is', null).where(isLive);
    const since = live.select((of) => of.fn.min('serving_since').as('since'));
    const until = live.select((of) => of.fn.max('served_until').as('until'));
    const lastSeen = tx.selectFrom('nodes').select(lastSign.as('seen'));
    const row = await tx
      .insertInto('nodes')
      .values({
        ...rest,
        settings: JSON.stringify(settings),
        master_keys: JSON.stringify(masterKeys),
        started_at: databaseNow,
        serving_since: sql<number>`coalesce(${since}, ${databaseNow})`,
        served_until: sql<number>`case when ${since} is null then ${lastSeen} else ${until} end`,
        expires_at: leaseEnd,
      })
      // A commit without an answer may have kept it.
      .onConflict((same) => same.column('id').doUpdateSet({ expires_at: leaseEnd }))
      .returning(renewed)
      .executeTakeFirstOrThrow();
    return await renewalOf(tx, row);
  });
}

/** Renews a lease, even one that has run out. Returns null if the node has ended: it was declared gone, or is not known. */
export async function renewNode(
  store: Store,
  id: string,
  { clockLeadMs, calls, isDraining, lateness, settings }: NodeStats,
): Promise<Renewal | null> {
  return await store.write(async (tx) => {
    const row = await tx
      .updateTable('nodes')
      .set((of) => ({
        expires_at: leaseEnd,
        renewals: of('renewals', '+', 1),
        clock_lead_ms: clockLeadMs,
        calls,
        is_draining: Number(isDraining),
        lateness: JSON.stringify(Array.from(lateness)),
        settings: JSON.stringify(settings),
      }))
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .returning(renewed)
      .executeTakeFirst();
    return row === undefined ? null : await renewalOf(tx, row);
  });
}

type RenewedRow = Omit<Renewal, 'schemaVersion' | 'moved' | 'nodes'>;

async function renewalOf(tx: Db, row: RenewedRow): Promise<Renewal> {
  const [schemaVersion, moved] = [await appliedVersion(tx), await findMove(tx)];
  return { ...row, schemaVersion, moved, nodes: await findOpenNodes(tx) };
}

const serverStart = sql<number>`floor(extract(epoch from pg_postmaster_start_time()) * 1000)::bigint`;

const renewed = [
  'renewals',
  'serving_since as servingSince',
  'served_until as servedUntil',
  databaseNow.as('now'),
  serverStart.as('serverStartedAt'),
] as const;

/** When a node was last seen to serve: its stop, or its last renewal. */
const lastSign = sql<
  number | null
>`max(case when end_reason = 'stopped' then ended_at else expires_at - ${leaseMs} end)`;

const leaseEnd = sql<number>`${databaseNow} + ${leaseMs}`;

async function findOpenNodes(db: Db): Promise<OpenNode[]> {
  const rows = await db
    .selectFrom('nodes')
    .select(['id', 'renewals', 'is_draining as isDraining'])
    .where('ended_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => Object.assign(row, { isDraining: row.isDraining === 1 }));
}

/**
 * Declares gone those of these that have not renewed their leases since they were seen. From then on they can claim nothing: a
 * claim holds the row of its node until it is committed (`holdNode`), which this waits for. Returns them.
 */
export async function endSilentNodes(
  store: Store,
  seen: readonly Pick<OpenNode, 'id' | 'renewals'>[],
): Promise<EndedNode[]> {
  return await store.write(async (tx) => {
    const silent = await tx
      .selectFrom('nodes')
      .select(['id', 'host', 'pid'])
      .where('ended_at', 'is', null)
      .where((of) =>
        of.or(
          seen.map(({ id, renewals }) =>
            of.and([of('id', '=', id), of('renewals', '=', renewals)]),
          ),
        ),
      )
      .orderBy('id')
      .forUpdate()
      .execute();
    const ids = silent.map(({ id }) => id);
    if (ids.length === 0) return silent;
    await tx
      .updateTable('nodes')
      .set({ ended_at: databaseNow, end_reason: 'silent', calls: 0 })
      .where('id', 'in', ids)
      .execute();
    return silent;
  });
}

/** Ends a node that stops. */
export async function endNode(store: Store, id: string): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ ended_at: databaseNow, end_reason: 'stopped', calls: 0 })
      .where('id', '=', id)
      .where('ended_at', 'is', null)
      .execute(),
  );
}

/** Keeps a node from being declared gone until the transaction ends. False if it has ended. Renewals need not wait for it. */
export async function holdNode(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('nodes')
    .select('id')
    .where('id', '=', id)
    .where('ended_at', 'is', null)
    .forKeyShare()
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether the database knows a node, ended or not. */
export async function isKnownNode(db: Db, id: string): Promise<boolean> {
  const row = await db.selectFrom('nodes').select('id').where('id', '=', id).executeTakeFirst();
  return row !== undefined;
}

/** Keeps what a node found that the database had lost, since the node has this id. */
export async function recordLoss(
  store: Store,
  id: string,
  { calls, outcomes }: Pick<Loss, 'calls' | 'outcomes'>,
): Promise<void> {
  await store.write((tx) =>
    tx
      .updateTable('nodes')
      .set({ lost_at: databaseNow, lost_calls: calls, lost_outcomes: outcomes })
      .where('id', '=', id)
      .execute(),
  );
}

const mostLosses = 20;

/** What nodes found lost since a time, the newest first, 20 at most. */
export async function findLosses(db: Db, since: number): Promise<Loss[]> {
  const rows = await db
    .selectFrom('nodes')
    .select(['host', 'pid', 'lost_at', 'lost_calls as calls', 'lost_outcomes as outcomes'])
    .where('lost_at', '>', since)
    .orderBy('lost_at', 'desc')
    .limit(mostLosses)
    .execute();
  return rows.map(({ lost_at: at, ...of }) => ({ ...of, at: at ?? 0 }));
}
