/** Reads a database on a server for the audit. */

import { types } from 'pg';
import { everyRun, runBooks, type Books, type JobBooks, type RunRecord } from '../checks/audit.ts';
import { connectTo } from './database.ts';

/** Reads jobs and runs in one snapshot. */
export async function readServerBooks(database: string): Promise<Books> {
  const client = await connectTo(database, {
    types: {
      getTypeParser: (oid, format) =>
        oid === types.builtins.INT8 ? Number : types.getTypeParser(oid, format),
    },
  });
  try {
    await client.query('begin isolation level repeatable read');
    const jobs = await client.query<JobBooks>('select * from jobs');
    const runs = await client.query<RunRecord>(everyRun);
    return { jobs: jobs.rows, runs: runs.rows.map(runBooks), damage: [] };
  } finally {
    await client.end();
  }
}
