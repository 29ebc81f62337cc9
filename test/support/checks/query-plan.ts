/** SQLite's query plans. */

import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { CompiledQuery, Kysely, sql } from 'kysely';
import type { Db } from '../../../src/store/database/store.ts';
import type { Schema } from '../../../src/store/database/schema.ts';
import { dialectOn } from '../../../src/store/sqlite/connection.ts';
import { openDatabase } from '../../../src/store/sqlite/file.ts';
import { openTestStore } from '../running/store.ts';

export type Ask = (db: Db) => Promise<unknown>;

export interface Plans {
  /** The query plan of every statement that a store function sends: a line per step. */
  planOf: (ask: Ask) => Promise<string[]>;
  /** The instructions of SQLite's machine for every statement that a store function sends. */
  instructionsOf: (ask: Ask) => Promise<string[]>;
  /** The text of every statement that was sent so far. */
  texts: ReadonlySet<string>;
}

/** Opens a store for it with one job, `j`, whose run `r` is under way. Nothing of what is asked stays. */
export async function openPlans(t: TestContext): Promise<Plans> {
  const test = await openTestStore(t);
  const sent: CompiledQuery[] = [];
  const texts = new Set<string>();
  const db = new Kysely<Schema>({
    dialect: dialectOn(openDatabase(join(test.dataDir, 'jobd.db'))),
    log: ({ query }) => void sent.push(query),
  });
  t.after(() => db.destroy());
  // What is asked names rows that there are not.
  await sql`pragma ignore_check_constraints = on`.execute(db);
  await sql`pragma foreign_keys = off`.execute(db);
  const { id } = await test.addJob();
  const running = { id: 'j', active_run_id: 'r', active_for: 1, active_since: 1 };
  await db.updateTable('jobs').set(running).where('id', '=', id).execute();
  await sql`pragma foreign_keys = on`.execute(db);

  async function explain<Step>(what: 'query plan' | '', ask: Ask): Promise<Step[]> {
    const steps: Step[] = [];
    const undone = new Error('undone');
    const work = async (tx: Db): Promise<void> => {
      await sql`pragma defer_foreign_keys = on`.execute(tx);
      sent.splice(0);
      // A function may find that nothing was changed.
      await ask(tx).catch(() => {});
      for (const query of sent.splice(0)) {
        texts.add(query.sql);
        const explained = `explain ${what} ${query.sql}`;
        const { rows } = await tx.executeQuery<Step>(
          CompiledQuery.raw(explained, [...query.parameters]),
        );
        steps.push(...rows);
      }
      throw undone;
    };
    await db
      .transaction()
      .execute(work)
      .catch((error: unknown) => {
        if (error !== undone) throw error;
      });
    return steps;
  }

  return {
    texts,
    async planOf(ask) {
      return (await explain<{ detail: string }>('query plan', ask)).map(({ detail }) => detail);
    },
    async instructionsOf(ask) {
      return (await explain<{ opcode: string }>('', ask)).map(({ opcode }) => opcode);
    },
  };
}
