/** The connections of a process to its server. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import { noPostgres, postgresOfFile } from '../../support/postgres/server.ts';

const skip = noPostgres() ?? false;
const server = postgresOfFile();

test('who waits too long for a connection learns that all are in use', { skip }, async () => {
  const { url } = await server.started();
  await using store = await openStore(`${url}?pool=2`);
  const sleep = (seconds: number) => sql`select pg_sleep(${seconds})`.execute(store.db);
  const others = [sleep(6), sleep(6)];
  await assert.rejects(sleep(0), {
    code: 'unavailable',
    message:
      'the store cannot be used now: all 2 connections to the database were in use for 5 seconds',
  });
  await Promise.all(others);
  await sleep(0);
});
