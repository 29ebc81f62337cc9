/** A database of its own for each test, on the PostgreSQL server that `JOBD_TEST_POSTGRES` names. */

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import { Client, type ClientConfig } from 'pg';
import { openStore } from '../../../src/store/open.ts';

/** The server; undefined where tests use SQLite. */
export const testServer = process.env['JOBD_TEST_POSTGRES'];

/** Servers that the environment names. */
const lasting = new Set(
  [testServer, process.env['JOBD_TEST_SERVER']].filter((url) => url !== undefined),
);

/** Databases that this process made on servers that outlive it. They are removed when all of its tests have ended, with what these started. */
const made: { server: string; name: string }[] = [];
if (lasting.size > 0) {
  after(async () => {
    for (const { server, name } of made)
      await onServer(server, `drop database if exists ${name} with (force)`);
  });
}

/** The URL of a new database; undefined where tests use SQLite. */
export async function testDatabase(): Promise<string | undefined> {
  if (testServer === undefined) return undefined;
  return await makeDatabase(testServer);
}

/** Makes a database with all tables and no rows. Returns its URL. */
export async function makeDatabase(server: string): Promise<string> {
  return await makeEmptyDatabase(server, `template ${await templateOn(server)}`);
}

/** Makes a database with these options, by default without tables. Returns its URL. */
export async function makeEmptyDatabase(server: string, options = ''): Promise<string> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(server, `create database ${name} ${options}`);
  if (lasting.has(server)) made.push({ server, name });
  return urlOf(server, name);
}

/** Templates by their servers. */
const templates = new Map<string, Promise<string>>();

/** A database with all tables and no rows. The first test process makes it. */
async function templateOn(server: string): Promise<string> {
  const template = templates.get(server) ?? makeTemplate(server);
  templates.set(server, template);
  return await template;
}

async function makeTemplate(server: string): Promise<string> {
  const name = `template_${schemaHash()}`;
  const client = await connectTo(server);
  try {
    await client.query('select pg_advisory_lock(1)');
    const found = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (found.rowCount === 0) {
      const draft = `${name}_draft`;
      await client.query(`drop database if exists ${draft}`);
      await client.query(`create database ${draft}`);
      const store = await openStore(urlOf(server, draft));
      await store[Symbol.asyncDispose]();
      await client.query(`alter database ${draft} rename to ${name}`);
    }
  } finally {
    await client.end();
  }
  return name;
}

function schemaHash(): string {
  const folder = join(import.meta.dirname, '../../../src/store/database/migrations');
  const hash = createHash('sha256');
  for (const file of readdirSync(folder).toSorted()) hash.update(readFileSync(join(folder, file)));
  return hash.digest('hex').slice(0, 16);
}

/** Runs a statement on a server. */
export async function onServer<Row extends object = object>(
  url: string,
  statement: string,
): Promise<Row[]> {
  const client = await connectTo(url);
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

/** A connection that looks for tables where those of jobd are. */
export async function connectTo(url: string, config: ClientConfig = {}): Promise<Client> {
  const client = new Client({
    connectionString: url,
    options: '-c search_path=jobd,public',
    ...config,
  });
  client.on('error', () => {});
  await client.connect();
  return client;
}

function urlOf(server: string, name: string): string {
  return Object.assign(new URL(server), { pathname: `/${name}` }).href;
}
