/** Batches on PostgreSQL: the texts that the statements for one row become. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Kysely, type CompiledQuery } from 'kysely';
import { statementForEach, type RowsAtOnce } from '../../../src/store/database/statement.ts';
import type { Parameters } from '../../../src/store/database/statement.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import type { Db } from '../../../src/store/database/store.ts';
import { dialectWith } from '../../../src/store/postgres/dialect.ts';

async function nothing(): Promise<void> {}

/** A database that answers every statement with these rows, and what it was sent. */
function answering(rows: object[]) {
  const sent: (CompiledQuery | RowsAtOnce)[] = [];
  const connection = {
    executeQuery: async (query: CompiledQuery) => {
      sent.push(query);
      return { rows };
    },
  };
  const driver = {
    init: nothing,
    acquireConnection: async () => connection,
    beginTransaction: nothing,
    commitTransaction: nothing,
    rollbackTransaction: nothing,
    releaseConnection: nothing,
    destroy: nothing,
  };
  return { db: new Kysely<Schema>({ dialect: dialectWith(driver as never) }), sent };
}

interface Ended {
  id: string;
  detail: string | null;
  ms: number | null;
  body: string | null;
}

const endRun = statementForEach((db: Db, of: Parameters<Ended>) =>
  db
    .updateTable('runs')
    .set({ detail: of('detail'), duration_ms: of('ms'), response_body: of.bytes('body') })
    .where('id', '=', of('id'))
    .where('status', '=', 'running')
    .compile(),
);

test('an update of many rows is one statement, which says whose rows changed', async () => {
  const { db, sent } = answering([{ key: 1 }]);
  const rows = [
    { id: 'a', detail: null, ms: 1, body: null },
    { id: 'b', detail: null, ms: null, body: 'Grüße\0' },
  ];
  assert.deepEqual(await endRun(db, rows), [false, true]);
  const [query, ...others] = sent;
  assert.deepEqual(others, []);
  assert.equal(
    query?.sql,
    'update "runs" set "detail" = null, "duration_ms" = given.":ms", ' +
      `"response_body" = decode(given.":body", 'base64') ` +
      'from (select * from json_to_recordset($1) as given(":id" text, ":detail" text, ":ms" bigint, ":body" text, "#" bigint) ' +
      'limit (select 2147483647)) as given ' +
      'where "id" = given.":id" and "status" = $2 returning given."#" as "key"',
  );
  assert.deepEqual(query?.parameters[1], 'running');
  assert.deepEqual(JSON.parse(String(query?.parameters[0])), [
    { '#': 0, ':id': 'a', ':ms': 1, ':body': null },
    { '#': 1, ':id': 'b', ':ms': null, ':body': 'R3LDvMOfZQA=' },
  ]);
});

test('no rows need no statement', async () => {
  const { db, sent } = answering([]);
  assert.deepEqual([await endRun(db, []), sent], [[], []]);
});

test('an insert that leaves rows out is told by its first parameter', async () => {
  const insert = statementForEach((db: Db, of: Parameters<{ id: string; at: number }>) =>
    db
      .insertInto('receipts')
      .values({ run_id: of('id'), receipt: 'text' })
      .onConflict((same) => same.column('run_id').doNothing())
      .compile(),
  );
  const { db, sent } = answering([{ key: 'b' }]);
  const rows = [
    { id: 'a', at: 1 },
    { id: 'b', at: 2 },
  ];
  assert.deepEqual(await insert(db, rows), [false, true]);
  assert.equal(
    sent[0]?.sql,
    'insert into "receipts" ("run_id", "receipt") select given.":id", $1 from (select * from json_to_recordset($2) ' +
      'as given(":id" text, ":at" bigint, "#" bigint) limit (select 2147483647)) as given on conflict ("run_id") do nothing returning "run_id" as "key"',
  );
});

test('a deletion uses the rows', async () => {
  const remove = statementForEach((db: Db, of: Parameters<{ id: string; number: number }>) =>
    db
      .deleteFrom('pings')
      .where('monitor_id', '=', of('id'))
      .where('number', '<=', of('number'))
      .compile(),
  );
  const { db, sent } = answering([{ key: 0 }, { key: 0 }]);
  assert.deepEqual(await remove(db, [{ id: 'a', number: 3 }]), [true]);
  assert.match(
    String(sent[0]?.sql),
    /^delete from "pings" using \(select \* from json_to_recordset\(\$1\) as given/,
  );
});
