/**
 * The whole schema; files beside this one have the tables of each subject. `schema.ts` says what the columns mean. Long texts
 * are the last columns of their tables: a list that does not show them never reads where they continue.
 */

import { sql, type Kysely } from 'kysely';
import { definition } from '../dialect.ts';
import { accounts } from './0001_accounts.ts';
import { alerts } from './0001_alerts.ts';
import { jobs } from './0001_jobs.ts';
import { monitors } from './0001_monitors.ts';
import { receipts } from './0001_proof.ts';
import { reports, runs } from './0001_runs.ts';
import { secrets, signIn } from './0001_sign_in.ts';

/** Makes every table and index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql`${definition(statement)}`.execute(db);
}

/** Its text. */
export const statements = [
  accounts,
  signIn,
  jobs,
  runs,
  reports,
  monitors,
  alerts,
  receipts,
  secrets,
].flat();
