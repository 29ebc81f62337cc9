/** What others have in a database: extensions stay, what acts on the tables of jobd is refused. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { connectTo } from '../../support/postgres/database.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';

const skip = noPostgres() ?? false;
const server = skip ? null : await startPostgres();
after(async () => await server?.[Symbol.asyncDispose]());

/** Runs statements as the superuser, in the database of this name. */
async function run(name: string, ...statements: string[]): Promise<string> {
  const url = (server?.url ?? '').replace(/[^/]*$/, name);
  const client = await connectTo(url);
  for (const statement of statements) await client.query(statement);
  await client.end();
  return url;
}

test('tables and views of extensions are no matter', { skip }, async () => {
  await run('postgres', 'create database extended');
  const url = await run(
    'extended',
    'create table facts (a int)',
    'create view shown as select 1 as a',
    'alter extension plpgsql add table facts',
    'alter extension plpgsql add view shown',
  );
  for (const _ of ['made', 'opened again']) await (await openStore(url))[Symbol.asyncDispose]();
});

test(
  'a database of another program, and one that the role may not write, are refused',
  { skip },
  async () => {
    await run(
      'postgres',
      'create database other',
      'create database closed',
      'create role guest login',
    );
    await assert.rejects(
      openStore(await run('other', 'create schema jobd', 'create table facts (a int)')),
      /cannot be opened: it is not a database of jobd: it has tables of another program/,
    );
    const url = await run('closed');
    await assert.rejects(
      openStore(url.replace('postgres@', 'guest@')),
      /cannot be opened: the role guest may not make tables here/,
    );
  },
);

test('triggers and rules that jobd did not make are refused', { skip }, async () => {
  await run('postgres', 'create database changed');
  const url = await run('changed');
  await (await openStore(url))[Symbol.asyncDispose]();
  const rows = [
    [
      'rule',
      'create rule quiet as on delete to keys do instead nothing',
      'drop rule quiet on keys',
    ],
    [
      'trigger',
      `create function kept() returns trigger language plpgsql as 'begin return null; end';
       create trigger quiet before update on keys for each row execute function kept()`,
      'drop trigger quiet on keys',
    ],
  ];
  for (const [type = '', make = '', drop = ''] of rows) {
    await run('changed', make);
    await assert.rejects(
      openStore(url),
      new RegExp(`has a ${type} "quiet", which jobd did not make`),
    );
    await run('changed', drop);
  }
  await (await openStore(url))[Symbol.asyncDispose]();
});
