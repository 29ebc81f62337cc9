import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { makeEmptyDatabase } from '../../support/postgres/database.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';

const { skip, started } = postgresOfFile();

/** A process with several connections, which closes its store after a line of input. */
const closing = `
  import { openStore } from ${JSON.stringify(import.meta.resolve('../../../src/store/open.ts'))};
  import { sql } from 'kysely';
  const store = await openStore(process.argv[1]);
  await Promise.all([1, 2, 3].map(() => sql\`select pg_sleep(0.1)\`.execute(store.db)));
  console.log('open');
  process.stdin.once('data', async () => {
    await store[Symbol.asyncDispose]();
    console.log('closed');
    process.stdin.destroy();
  });
`;

// They mostly wait.
describe('connections', { concurrency: 3, skip }, () => {
  test('who waits too long for a connection learns that all are in use', async () => {
    const url = await makeEmptyDatabase((await started()).url);
    await using store = await openStore(`${url}?pool=2`);
    const sleep = (seconds: number) => sql`select pg_sleep(${seconds})`.execute(store.db);
    const others = [sleep(6), sleep(6)];
    await assert.rejects(sleep(0), {
      code: 'unavailable',
      message:
        'the database cannot be used now: all 2 connections to the database were in use for 5 seconds: if another session holds a lock, jobd doctor names it',
    });
    await Promise.all(others);
    await sleep(0);
  });

  test('a process ends although its server cannot be reached any more', async (t) => {
    const { url: base, port } = await started();
    const url = await makeEmptyDatabase(base);
    const proxy = await startProxy(t, port);
    const child = spawn(
      process.execPath,
      ['--input-type=module', '--eval', closing, proxy.urlOf(url)],
      { stdio: ['pipe', 'pipe', 'inherit'], cwd: import.meta.dirname, timeout: 60_000 },
    );
    await once(child.stdout, 'data');
    proxy.isFrozen = true;
    child.stdin.write('close\n');
    const [code, signal] = await once(child, 'exit');
    assert.deepEqual([code, signal], [0, null]);
  });

  test('a server that does not answer is told in plain words', async (t) => {
    const { url: base, port } = await started();
    const url = await makeEmptyDatabase(base);
    const proxy = await startProxy(t, port);
    await using store = await openStore(proxy.urlOf(url));
    proxy.isFrozen = true;
    await assert.rejects(sql`select 1`.execute(store.db), {
      code: 'unavailable',
      message: 'the database cannot be used now: the database did not answer in time',
    });
    await assert.rejects(sql`select 1`.execute(store.db), {
      code: 'unavailable',
      message: 'the database cannot be used now: the database did not accept a connection in time',
    });
    proxy.isFrozen = false;
    await sql`select 1`.execute(store.db);
  });
});
