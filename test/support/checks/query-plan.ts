/** SQLite's query plans. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CompiledQuery, Kysely } from 'kysely';
import type { Db } from '../../../src/store/database/store.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import { dialectOn } from '../../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../../src/store/sqlite/file.ts';
import { openTestStore } from '../running/store.ts';
import type { TestStore } from '../running/store.ts';

/** The query plan of every statement that a store function sends, after `prepare`: a line per step. */
export async function planOf(
  t: TestContext,
  ask: (db: Db) => Promise<unknown>,
  prepare?: (test: TestStore) => Promise<unknown>,
): Promise<string[]> {
  const steps = await explain<{ detail: string }>(t, 'query plan', ask, prepare);
  return steps.map(({ detail }) => detail);
}

/** The instructions of SQLite's machine for every statement that a store function sends. */
export async function instructionsOf(
  t: TestContext,
  ask: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const instructions = await explain<{ opcode: string }>(t, '', ask);
  return instructions.map(({ opcode }) => opcode);
}

async function explain<Step>(
  t: TestContext,
  what: 'query plan' | '',
  ask: (db: Db) => Promise<unknown>,
  prepare?: (test: TestStore) => Promise<unknown>,
): Promise<Step[]> {
  const test = await openTestStore(t);
  await prepare?.(test);
  const sent: CompiledQuery[] = [];
  const db = new Kysely<Schema>({
    dialect: dialectOn(openDatabase(join(test.dataDir, 'jobd.db'))),
    log: ({ query }) => void sent.push(query),
  });
  t.after(() => db.destroy());
  await ask(db);
  const steps: Step[] = [];
  for (const query of sent.splice(0)) {
    const { rows } = await db.executeQuery<Step>(
      CompiledQuery.raw(`explain ${what} ${query.sql}`, [...query.parameters]),
    );
    steps.push(...rows);
  }
  assert.ok(steps.length > 0, 'nothing was asked');
  return steps;
}

/** A batch is passed as JSON and read once; that is not a table scan. */
const batch = /^(SCAN json_each|SCAN changed|LIST SUBQUERY|CREATE BLOOM FILTER)/;

/** Asserts that these are exactly the steps. */
export function assertPlan(steps: string[], expected: RegExp[]): void {
  const plan = steps.join('\n');
  for (const step of steps.filter((line) => !batch.test(line))) {
    assert.ok(
      expected.some((pattern) => pattern.test(step)),
      `unexpected: ${step}\n${plan}`,
    );
  }
  for (const pattern of expected) assert.match(plan, new RegExp(pattern.source, 'm'), plan);
}

/** The steps that find out whether others run after a job. */
export const isFollowed = [
  /^CORRELATED SCALAR SUBQUERY \d$/,
  /^SEARCH followers USING INDEX jobs_following \(after_job_id=\?\)$/,
];
