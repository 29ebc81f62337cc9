/** Databases that cannot hold a store are refused in a sentence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../../../src/store/open.ts';
import { makeEmptyDatabase } from '../../support/postgres/database.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { noPostgres, postgresOfFile } from '../../support/postgres/server.ts';

const skip = noPostgres() ?? false;
const server = postgresOfFile();

for (const encoding of ['LATIN1', 'SQL_ASCII']) {
  test(`a database that keeps texts as ${encoding}`, { skip }, async () => {
    const { url } = await server.started();
    const options = `encoding '${encoding}' locale 'C' template template0`;
    await assert.rejects(openStore(await makeEmptyDatabase(url, options)), {
      code: 'unavailable',
      message: `the database keeps texts as ${encoding}, jobd needs UTF8: create database jobd encoding 'UTF8' template template0`,
    });
  });
}

test('a server older than 14', { skip }, async (t) => {
  const { url, port } = await server.started();
  const proxy = await startProxy(t, port);
  proxy.rewrite = (answer) =>
    Buffer.from(answer.toString('latin1').replace(/\b1[4-9]\d{4}\b/, '130022'), 'latin1');
  await assert.rejects(openStore(proxy.urlOf(url)), {
    code: 'unavailable',
    message: 'the database is PostgreSQL 13, jobd needs 14 or newer',
  });
});
