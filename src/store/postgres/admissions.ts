/**
 * Counts requests of keys in the table `admissions`, for all processes at once, in one statement without a transaction
 * around it. A row has the times of a key's last admitted requests, in microseconds of the database's clock, each later
 * than the one before unless they asked together. Its lock lets one process count after the other, and the clock is read
 * while it is held. Rows are locked in the order of their keys, so that processes never wait for each other in a circle.
 *
 * Times too far ahead, of a clock that was set back since, are forgotten. Where it was set back by less than a window, time
 * stands still until it has caught up.
 */

import { sql, type RawBuilder } from 'kysely';
import { keyRule, type ActiveKey } from '../../domain/accounts/key.ts';
import type { Admissions } from '../database/admissions.ts';
import type { Db } from '../database/schema.ts';
import { statement, type Parameters } from '../database/statement.ts';
import { isWithoutParent, mayOnlyRead } from './errors.ts';
import { retried } from './retried.ts';

const limit = sql.lit(keyRule.limit);
const window = sql.lit(keyRule.windowMs * 1_000);

/** It differs each time it is read within a statement. */
const clock = sql`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** `asked` has `id` and `requests`, once for each key. Nothing is written for a key without any request left. */
function counted(asked: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    with asked as (${asked}), admitted as (
      insert into admissions as kept (key_id, times)
      select id, array_fill(${clock}, array[least(requests, ${limit})::integer]) from asked order by id
      on conflict (key_id) do update set times = (
        select valid || array_fill(
          greatest(now, valid[cardinality(valid)] + 1),
          array[greatest(least(cardinality(excluded.times), ${limit} - cardinality(valid)), 1)]
        )
        from (
          select now, kept.times[
            width_bucket(now - ${window}, kept.times) + 1 : width_bucket(now + ${window}, kept.times)
          ] as valid
          from (select ${clock} as now) as clock
        ) as valid
      )
      where cardinality(kept.times) < ${limit}
        or kept.times[1] <= ${clock} - ${window}
        or kept.times[cardinality(kept.times)] > ${clock} + ${window}
      returning key_id, times, times[cardinality(times)] as newest
    )
    select asked.*,
      coalesce(cardinality(admitted.times) - width_bucket(newest - 1, admitted.times), 0) as admitted,
      coalesce(greatest(${limit} - cardinality(admitted.times), 0), 0) as remaining,
      case when newest is not null then admitted.times[1] + ${window} - newest
        else least(${window}, ${window} - now + (
          select times[width_bucket(now - ${window}, times) + 1] from admissions where key_id = asked.id
        ))
      end as "moreInUs"
    from (select ${clock} as now) as clock cross join asked
      left join admitted on admitted.key_id = asked.id`;
}

/** The commit need not wait for a disk or a copy: after a crash the table is empty. */
const quickly = sql`(select set_config('synchronous_commit', 'off', true)) as quickly`;

interface CountedRow {
  admitted: number;
  remaining: number;
  moreInUs: number;
}

/** The server plans it once: it does not see how many keys there are before it is run. */
interface ByHash {
  hashes: readonly string[];
  requests: readonly number[];
  now: number;
}

const admitKeys = statement((db: Db, of: Parameters<ByHash>) =>
  sql<ActiveKey & CountedRow & { sha256: string }>`${counted(sql`
    select keys.id, keys.sha256, keys.name, workspace_id as "workspaceId", permission,
      accounts.expires_at as "accountExpiresAt", keys.expires_at as "expiresAt",
      windows is not null as "hasWindows", asked.requests
    from ${quickly}, unnest((select ${of('hashes')}::text[]), (select ${of('requests')}::bigint[])) as asked (sha256, requests)
      join keys on keys.sha256 = asked.sha256
      join workspaces on workspaces.id = keys.workspace_id
      join accounts on accounts.id = workspaces.account_id
    where revoked_at is null and deleted_at is null
      and (keys.expires_at is null or keys.expires_at > ${of('now')})`)}`.compile(db),
);

const countKey = statement((db: Db, of: Parameters<{ id: string; requests: number }>) =>
  sql<CountedRow>`${counted(sql`
    select id, ${of('requests')}::bigint as requests from ${quickly}, keys
    where id = ${of('id')}`)}`.compile(db),
);

/** Admissions in this database. */
export function admissionsIn(db: Db): Admissions {
  return {
    async admit(keys, now) {
      const hashes = keys.map(({ sha256 }) => sha256);
      const requests = keys.map((key) => key.requests);
      const rows = await written(() => admitKeys(db, { hashes, requests, now }));
      return rows && rows.map(withMilliseconds);
    },
    async count(keyId, requests) {
      const [row] = (await written(() => countKey(db, { id: keyId, requests }))) ?? [];
      return row === undefined ? null : withMilliseconds(row);
    },
  };
}

/** Null if nothing can be written now. A key may be removed while its row is written: then it is asked again. */
async function written<Row>(question: () => Promise<Row[]>): Promise<Row[] | null> {
  try {
    return await retried(question, isWithoutParent);
  } catch (error) {
    if (mayOnlyRead(error)) return null;
    throw error;
  }
}

function withMilliseconds<Row extends CountedRow>({ moreInUs, ...row }: Row) {
  return { ...row, moreInMs: (moreInUs ?? keyRule.windowMs * 1_000) / 1_000 };
}
