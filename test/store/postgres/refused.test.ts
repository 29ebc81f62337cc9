/** Databases that cannot hold a store are refused in a sentence. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobdError } from '../../../src/domain/errors.ts';
import { openStore } from '../../../src/store/open.ts';
import { ownPort } from '../../support/own-port.ts';
import { makeDatabase, makeEmptyDatabase, onServer } from '../../support/postgres/database.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile } from '../../support/postgres/server.ts';

// Its roles are those of the whole server.
const { skip, started } = postgresOfFile({});

for (const encoding of ['LATIN1', 'SQL_ASCII']) {
  test(`a database that keeps texts as ${encoding}`, { skip }, async () => {
    const { url } = await started();
    const options = `encoding '${encoding}' locale 'C' template template0`;
    await assert.rejects(openStore(await makeEmptyDatabase(url, options)), {
      code: 'unavailable',
      message: `the database keeps texts as ${encoding}, jobd needs UTF8: create database jobd encoding 'UTF8' template template0`,
    });
  });
}

test('a server older than 14', { skip }, async (t) => {
  const { url, port } = await started();
  const proxy = await startProxy(t, port);
  proxy.rewrite = (answer) =>
    Buffer.from(answer.toString('latin1').replace(/\b1[4-9]\d{4}\b/, '130022'), 'latin1');
  await assert.rejects(openStore(proxy.urlOf(url)), {
    code: 'unavailable',
    message: 'the database is PostgreSQL 13, jobd needs 14 or newer',
  });
});

function asClerk(url: string): string {
  return Object.assign(new URL(url), { username: 'clerk' }).href;
}

test('a role that may not use the tables, or make them, with what helps', { skip }, async () => {
  const { url: base } = await started();
  await onServer(base, 'create role clerk login');
  const url = await makeDatabase(base);
  // As the sentence about an empty database says: the tables are another's all the same.
  await onServer(base, `alter database ${new URL(url).pathname.slice(1)} owner to clerk`);
  await assert.rejects(openStore(asClerk(url)), {
    code: 'unavailable',
    message: 'the role clerk may not use the schema jobd, which the role postgres owns',
    notes: ['in psql, as postgres or a superuser: alter schema jobd owner to clerk'],
  });
  await onServer(url, 'alter schema jobd owner to clerk');
  await assert.rejects(openStore(asClerk(url)), (error: JobdError) => {
    assert.equal(error.code, 'unavailable');
    assert.match(
      error.message,
      /^the database postgres:.* cannot be opened: the role clerk may not read and change the table \w+ and \d+ more, which the role postgres owns$/,
    );
    assert.match(
      error.notes.join(),
      /^in psql, as postgres or a superuser: select format\('alter table /,
    );
    return true;
  });

  const empty = await makeEmptyDatabase(base);
  const owner = `alter database ${new URL(empty).pathname.slice(1)} owner to clerk`;
  await assert.rejects(openStore(asClerk(empty)), {
    message: `the database ${asClerk(empty)} cannot be opened: the role clerk may not make tables here`,
    notes: [owner],
  });
  await onServer(base, owner);
  const store = await openStore(asClerk(empty));

  // A right that is lost while jobd runs is an outage, and no bug.
  await onServer(empty, 'alter table jobs owner to postgres');
  await assert.rejects(store.db.selectFrom('jobs').selectAll().execute(), {
    code: 'unavailable',
    message:
      'the database cannot be used now: this role may no longer read and change all tables of jobd: jobd doctor says what to do (42501)',
  });
  await onServer(empty, 'alter schema jobd owner to postgres');
  for (const table of ['jobs', 'instance'] as const) {
    // All say the same, so that the log says it once.
    await assert.rejects(store.db.selectFrom(table).select('id').execute(), {
      code: 'unavailable',
      message:
        'the database cannot be used now: this role may no longer use the schema jobd, or somebody removed tables of it: jobd doctor says what to do (42P01)',
    });
  }
  await store[Symbol.asyncDispose]();
});

test('a server that is not there, and a database that is not on it', { skip }, async () => {
  const { url, port } = await started();
  const nowhere = `postgres://ann:s3cret@127.0.0.1:${await ownPort()}/jobd`;
  const { host } = new URL(nowhere);
  await assert.rejects(openStore(nowhere), {
    code: 'unavailable',
    message: `the database postgres://ann@${host}/jobd cannot be used now: connect ECONNREFUSED ${host}`,
  });
  const both = `postgres://ann:s3cret@${host},127.0.0.1:${port}/jobd`;
  await assert.rejects(openStore(both), {
    code: 'unavailable',
    message: `the database postgres://ann@${host},127.0.0.1:${port}/jobd cannot be used: connect ECONNREFUSED ${host}; 127.0.0.1:${port}: role "ann" does not exist (28000)`,
  });
  await assert.rejects(openStore(url.replace(/[^/]*$/, 'none')), {
    code: 'unavailable',
    message: `the database ${url.replace(/[^/]*$/, 'none')} cannot be used: database "none" does not exist (3D000)`,
  });
});
