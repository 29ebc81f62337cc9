/** What the doctor looks at where the database is on a server. */

import { isoTime, wrongClockMs } from '../../domain/clock.ts';
import { oneLine } from '../../domain/one-line.ts';
import { lossText } from '../../domain/nodes.ts';
import type { Db } from '../../store/database/store.ts';
import type { DatabaseClock } from '../../store/nodes/database-clock.ts';
import { newestVersion } from '../../store/database/migrate.ts';
import { findRefusal } from '../../store/postgres/access.ts';
import { findSwollenTable } from '../../store/postgres/dead-rows.ts';
import { serverFacts } from '../../store/postgres/facts.ts';
import { findForeignOnServer } from '../../store/postgres/foreign.ts';
import { findLockHolders } from '../../store/postgres/locks.ts';
import type { LockHolder } from '../../store/postgres/locks.ts';
import { tryWrite } from '../../store/postgres/probe.ts';
import { closePublicAccess } from '../../store/postgres/public-access.ts';
import { sizeText } from '../../domain/sizes.ts';
import { fail, ok, warn } from './finding.ts';
import type { Result } from './finding.ts';
import { leadText, listLosses, listOpenNodes, troublesOf, wrongLeasesOf } from './nodes.ts';

/** Which server it is, and how much it holds. */
export async function checkServer(db: Db, name: string): Promise<Result> {
  const { version, bytes } = await serverFacts(db);
  return ok(`PostgreSQL ${version} at ${name}, ${sizeText(bytes)}`);
}

/** Whether the role may read and change everything. */
export async function checkAccess(db: Db): Promise<Result> {
  const refusal = await findRefusal(db);
  if (refusal !== null) return fail(refusal.problem, refusal.remedies);
  return ok('this role may read and change everything of jobd');
}

/** Whether roles that have nothing to do with jobd may connect. */
export async function checkOtherRoles(db: Db): Promise<Result> {
  const remedies = await closePublicAccess(db);
  if (remedies === null) return ok('only roles that were allowed to may connect');
  return warn(
    'every role of the server may connect to this database, and keep the server busy there',
    remedies,
  );
}

/** Whether the schema is as jobd makes it. */
export async function checkServerSchema(db: Db): Promise<Result> {
  const foreign = await findForeignOnServer(db, newestVersion);
  if (foreign.length === 0) return ok(`version ${newestVersion}, as jobd makes it`);
  return fail(
    `${foreign.slice(0, 3).join('; ')}: find out who changed the database, and undo it or restore a dump`,
    foreign.slice(3),
  );
}

/** Whether the server takes a write. */
export async function checkWrite(db: Db): Promise<Result> {
  await tryWrite(db);
  return ok('a row was written, and taken back');
}

/** Whether the server can remove rows that nobody needs any more. */
export async function checkDeadRows(db: Db): Promise<Result> {
  const swollen = await findSwollenTable(db);
  if (swollen === null) return ok('the server removes rows that nobody needs any more');
  const { name, dead, live } = swollen;
  return warn(
    `the table ${name} has ${dead} dead rows beside ${live}, which the server has not removed: if that stays so, jobd becomes slower and the database larger`,
    [
      'transactions that are open for long, as a superuser: select pid, usename, xact_start, query from pg_stat_activity where xact_start is not null order by xact_start',
      'copies that do not take what is kept for them: select slot_name, active from pg_replication_slots',
      'neither: autovacuum may be off or too slow',
    ],
  );
}

/** Whether some session holds locks for so long that jobd cannot work. */
export async function checkLocks(db: Db): Promise<Result> {
  const [longest, ...more] = await findLockHolders(db);
  if (longest === undefined) return ok('no session holds a lock for long');
  return warn(lockText(longest), [
    ...more.map(lockText),
    `end it where it runs, or in psql, as its role or a superuser: select pg_terminate_backend(${longest.pid})`,
  ]);
}

function lockText({ pid, role, program, table, since }: LockHolder): string {
  const name = program === '' ? '' : ` (${oneLine(program)})`;
  const time = since === null ? '' : `, in a transaction that began at ${isoTime(since)}`;
  return `the session ${pid} of the role ${role}${name} holds a lock on the table ${table}${time}: what jobd wants to change there waits`;
}

const afterLoss =
  'what was called or changed in the moments before may be missing: look at these jobs, and see docs/cluster.md#failover';

/** Whether the nodes agree with each other, and whether one found at `now` that the database lost something within a week. */
export async function checkNodes(db: Db, now: number): Promise<Result> {
  const open = await listOpenNodes(db, now);
  const live = open.filter(({ role }) => role !== 'silent');
  const losses = await listLosses(db, now);
  const lost = losses.map(lossText);
  if (lost.length > 0) lost.push(afterLoss);
  const [first, ...more] = [...lost, ...wrongLeasesOf(open, now), ...troublesOf(live)];
  if (first !== undefined) return warn(first, more);
  return ok(live.length === 1 ? '1 node serves' : `${live.length} nodes serve, and agree`);
}

/** Whether the clock of this machine agrees with the database's. */
export function checkServerClock(clock: DatabaseClock): Result {
  const leadMs = clock.leadMs();
  if (Math.abs(leadMs) <= wrongClockMs) return ok(isoTime(clock.now()));
  return warn(
    `the clock of this machine is ${leadText(leadMs)}, compared with the database's, which due times go by: set one of them`,
  );
}
