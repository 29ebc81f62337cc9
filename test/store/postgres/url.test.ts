import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { getCACertificates, rootCertificates } from 'node:tls';
import { nameOfDatabase, parseDatabaseUrl } from '../../../src/store/postgres/connections/url.ts';
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
  assert.deepEqual(serversOf('postgres:///jobd?host=/run/postgresql&port=5433'), [
    '/run/postgresql 5433',
  ]);
  assert.deepEqual(serversOf('postgres://%2frun%2fpostgresql:5433/jobd'), ['/run/postgresql 5433']);
  assert.deepEqual(serversOf('postgres://one,two:1/jobd?port=5433'), ['one 5433', 'two 5433']);
  assert.deepEqual(serversOf('postgres://one,two/jobd?port=5433,5434'), ['one 5433', 'two 5434']);
  const { servers, user, database } = parseDatabaseUrl('postgres://');
  assert.deepEqual(
    [servers, user, database],
    [[{ host: 'localhost', port: 5432 }], undefined, undefined],
  );
});

function serversOf(url: string): string[] {
  return parseDatabaseUrl(url).servers.map(({ host, port }) => `${host} ${port}`);
}

test('a message names the place without the password', () => {
  const urls = [
    ['postgres://ann:s3cret@[::1],two:6432/jobd?pool=3', 'postgres://ann@[::1]:5432,two:6432/jobd'],
    ['postgres:///d?host=/run/pg', 'postgres://%2Frun%2Fpg:5432/d'],
  ] as const;
  for (const [url, name] of urls) {
    assert.equal(nameOfDatabase(parseDatabaseUrl(url)), name);
    assert.equal(nameOfDatabase(parseDatabaseUrl(name)), name, 'it is a URL');
  }
});

function sslOf(query: string) {
  return parseDatabaseUrl(`postgres://h/d?${query}`).ssl;
}

test('TLS is what the URL says', (t) => {
  const ca = join(temporaryDirectory(t), 'ca.pem');
  writeFileSync(ca, rootCertificates[0] ?? '');
  assert.equal(sslOf('sslmode=disable'), false);
  assert.partialDeepStrictEqual(sslOf('sslmode=require'), { rejectUnauthorized: false });
  const full = sslOf(`sslmode=verify-full&sslrootcert=${ca}`);
  assert.deepEqual(full && [full.ca, full.rejectUnauthorized, full.checkServerIdentity], [
    rootCertificates[0],
    undefined,
    undefined,
  ]);
  // As with libpq, with a root certificate it is verify-ca.
  for (const mode of ['verify-ca', 'require']) {
    const ofCa = sslOf(`sslmode=${mode}&sslrootcert=${ca}`);
    assert.equal(ofCa && ofCa.rejectUnauthorized, undefined);
    assert.equal(ofCa && ofCa.checkServerIdentity?.('h', {} as never), undefined);
  }
  const ofSystem = sslOf('sslmode=verify-full&sslrootcert=system');
  assert.deepEqual(ofSystem && ofSystem.ca, getCACertificates('system'));
});

test('what is wrong with a URL is said without the URL', (t) => {
  const garbage = join(temporaryDirectory(t), 'garbage');
  writeFileSync(garbage, '-----BEGIN CERTIFICATE-----\ngarbage');
  const rows: [url: string, words: RegExp][] = [
    ['mysql://a:s3cret@h/d', /must look like postgres:/],
    ['postgres://a:s3cret@h/d?sslmode=maybe', /sslmode must be disable, require/],
    ['postgres://a:s3cret@h/d?timeout=1', /parameter timeout; jobd knows host, port, sslmode/],
    ['postgres://a:s3cret@h/d?pool=1', /pool must be a number from 2 to 100/],
    ['postgres://a:s3cret%@h/d', /% in it must be followed by two/],
    ['postgres://a:s3cret@h/d?sslmode=verify-full&sslrootcert=/none', /sslrootcert cannot be read/],
    ['postgres://a:s3cret@h:port/d', /its port must be a number from 1 to 65535/],
    ['postgres://a:s3cret@h:65536/d', /its port must be/],
    ['postgres://a:s3cret@h:0/d', /its port must be/],
    ['postgres://a:s3cret@h/d?port=0', /its port must be/],
    ['postgres://a:s3cret@h/d?port=1,2', /one port, or as many as there are hosts/],
    ['postgres://a:s3cret@h h/d', /its host must be a name, an address/],
    ['postgres://a:s3cret@[h]/d', /its host must be/],
    ['postgres://a:s3cret', /its port must be/],
    ['postgres://a:p@s3cret@h/d', /only one @ may be in it.*Percent-encode the password/],
    ['postgres://a:p/s3cret@h/d', /only one @/],
    ['postgres://a:12/s3cret:x@h/d', /only one @/],
    ['postgres://a:p/d?s3cret=x@h/d', /only one @/],
    ['postgres://a:p%40s3cret/x', /its port must be/],
    [`postgres://h/d?sslmode=verify-ca&sslrootcert=${garbage}`, /has no certificate in it: .*garb/],
    [`postgres://h/d?sslmode=require&sslcert=${garbage}`, /sslcert and sslkey need each other/],
    [
      `postgres://h/d?sslmode=require&sslcert=${garbage}&sslkey=${garbage}`,
      /are no certificate with its key/,
    ],
    ['postgres://a:s3cret@h/d?sslmode=verify-ca', /verify-ca needs sslrootcert=FILE.*verify-full$/],
    ['postgres://h/d?sslmode=verify-ca&sslrootcert=system', /system needs sslmode=verify-full/],
  ];
  for (const [url, words] of rows) {
    assert.throws(
      () => parseDatabaseUrl(url),
      (error: Error) => words.test(error.message) && !error.message.includes('s3cret'),
      url,
    );
  }
});
