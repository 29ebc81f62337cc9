/** TLS to a PostgreSQL server, as the URL says. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import { openStore } from '../../../src/store/open.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { nobody } from '../../support/postgres/prepared.ts';
import { noPostgres, startPostgres } from '../../support/postgres/server.ts';

const noOpenssl = spawnSync('openssl', ['version']).error ? 'needs openssl' : undefined;

/** A certificate for 127.0.0.1 with its key, signed by itself. */
function makeCertificate(directory: string, name: string): { cert: string; key: string } {
  const [cert, key] = [join(directory, `${name}.pem`), join(directory, `${name}.key`)];
  const words =
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} ` +
    `-addext subjectAltName=IP:127.0.0.1 -keyout ${key} -out ${cert}`;
  const made = spawnSync('openssl', words.split(' '), { encoding: 'utf8' });
  assert.equal(made.status, 0, made.stderr);
  return { cert, key };
}

test(
  'a connection is encrypted and the server verified as the URL says',
  { skip: noPostgres() ?? noOpenssl ?? false },
  async (t) => {
    const directory = temporaryDirectory(t);
    const right = makeCertificate(directory, 'right');
    const wrong = makeCertificate(directory, 'wrong');
    const ofServer = temporaryDirectory(t);
    for (const path of Object.values(right)) copyFileSync(path, join(ofServer, path.slice(-3)));
    if (process.getuid?.() === 0) {
      for (const path of [ofServer, ...readdirSync(ofServer).map((name) => join(ofServer, name))]) {
        chownSync(path, nobody.uid, nobody.gid);
      }
    }
    await using server = await startPostgres({
      ssl: 'on',
      ssl_cert_file: join(ofServer, 'pem'),
      ssl_key_file: join(ofServer, 'key'),
    });
    const isEncrypted = async (query: string): Promise<unknown> => {
      await using store = await openStore(`${server.url}?${query}`);
      const { rows } = await sql<{ ssl: number }>`
        select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(store.db);
      return rows[0]?.ssl;
    };
    assert.equal(await isEncrypted('sslmode=disable'), 0);
    assert.equal(await isEncrypted('sslmode=require'), 1);
    assert.equal(await isEncrypted(`sslmode=verify-full&sslrootcert=${right.cert}`), 1);
    for (const mode of ['require', 'verify-ca', 'verify-full']) {
      await assert.rejects(
        openStore(`${server.url}?sslmode=${mode}&sslrootcert=${wrong.cert}`),
        /postgres:\/\/postgres@127.* cannot be used: nobody known has signed .* in sslrootcert \(DEPTH/,
      );
    }
  },
);
