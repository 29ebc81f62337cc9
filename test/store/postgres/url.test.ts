/** URLs of PostgreSQL databases. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDatabaseUrl } from '../../../src/store/postgres/url.ts';
import { temporaryDirectory } from '../../support/directory.ts';

test('a URL names servers, login, database, connections and TLS', () => {
  assert.deepEqual(parseDatabaseUrl('postgres://ann:s%40cret@db.example.com:6432/jobd?pool=20'), {
    servers: [{ host: 'db.example.com', port: 6432 }],
    user: 'ann',
    password: 's@cret',
    database: 'jobd',
    ssl: false,
    pool: 20,
  });
  assert.deepEqual(parseDatabaseUrl('postgresql:///jobd?host=/run/postgresql').servers, [
    { host: '/run/postgresql', port: 5432 },
  ]);
  assert.deepEqual(parseDatabaseUrl('postgres://a@one,[2001:db8::1]:6432,three/jobd').servers, [
    { host: 'one', port: 5432 },
    { host: '2001:db8::1', port: 6432 },
    { host: 'three', port: 5432 },
  ]);
  const { servers, user, database } = parseDatabaseUrl('postgres://');
  assert.deepEqual(
    [servers, user, database],
    [[{ host: 'localhost', port: 5432 }], undefined, undefined],
  );
});

function sslOf(query: string) {
  return parseDatabaseUrl(`postgres://h/d?${query}`).ssl;
}

test('TLS is what the URL says', (t) => {
  const ca = join(temporaryDirectory(t), 'ca.pem');
  writeFileSync(ca, 'a certificate');
  assert.equal(sslOf('sslmode=disable'), false);
  assert.partialDeepStrictEqual(sslOf('sslmode=require'), { rejectUnauthorized: false });
  const full = sslOf(`sslmode=verify-full&sslrootcert=${ca}`);
  assert.deepEqual(full && [String(full.ca), full.rejectUnauthorized, full.checkServerIdentity], [
    'a certificate',
    undefined,
    undefined,
  ]);
  const ofCa = sslOf(`sslmode=verify-ca&sslrootcert=${ca}`);
  assert.equal(ofCa && ofCa.checkServerIdentity?.('h', {} as never), undefined);
});

test('what is wrong with a URL is said without the URL', () => {
  const rows: [url: string, words: RegExp][] = [
    ['mysql://a:s3cret@h/d', /must look like postgres:/],
    ['postgres://a:s3cret@h/d?sslmode=maybe', /sslmode must be disable, require/],
    ['postgres://a:s3cret@h/d?timeout=1', /parameter timeout; jobd knows host, sslmode/],
    ['postgres://a:s3cret@h/d?pool=1', /pool must be a number from 2 to 100/],
    ['postgres://a:s3cret%@h/d', /% in it must be followed by two/],
    ['postgres://a:s3cret@h/d?sslmode=verify-full&sslrootcert=/none', /sslrootcert cannot be read/],
    ['postgres://a:s3cret@h:port/d', /h:port is no host/],
  ];
  for (const [url, words] of rows) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => words.test(error.message) && !error.message.includes('s3cret'),
      url,
    );
  }
});
