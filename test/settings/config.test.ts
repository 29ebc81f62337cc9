/** Sources of settings: flags before environment before defaults (docs/behavior.md#cli-2). */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  clientSettings,
  dataDir,
  databaseUrl,
  noColor,
  secretKeys,
  serveConfig as readServeConfig,
} from '../../src/settings/config.ts';
import type { Flags } from '../../src/settings/config.ts';
import type { ServeConfig } from '../../src/settings/config.ts';
import { JobdError } from '../../src/domain/errors.ts';
import { findServer } from '../../src/cli/client/profiles.ts';
import { withoutPassword } from '../../src/settings/setting.ts';
import { temporaryDirectory } from '../support/directory.ts';

/** That of a user who has a home, as most have. */
const serveConfig = (flags: Flags, env: Record<string, string>) =>
  readServeConfig(flags, { HOME: '/home/ann', ...env });
const clientConfig = (env: Record<string, string>) => findServer(clientSettings(null, env));

function assertRefused(read: () => unknown, words: RegExp): void {
  assert.throws(read, (error) => {
    assert.ok(error instanceof JobdError, String(error));
    assert.equal(error.exitCode, 2);
    assert.match(error.message, words);
    return true;
  });
}

test('without flags and environment serve has the documented defaults', () => {
  assert.deepEqual(serveConfig({}, {}), {
    host: '127.0.0.1',
    port: 8080,
    slots: 512,
    slotsPerHost: 256,
    database: null,
    dataDir: '/home/ann/.local/share/jobd',
    maxDatabaseBytes: null,
    baseUrl: null,
    allowTargets: [],
    corsOrigins: [],
    trustedProxies: [],
    signing: true,
    traceContext: false,
    spans: null,
    secretKeys: { current: null, next: null },
    smtp: null,
    mailAllow: [],
    heartbeatUrl: null,
    metrics: null,
    backups: null,
    logLevel: 'info',
    logFormat: null,
  } satisfies ServeConfig);
  assert.ok(Object.isFrozen(serveConfig({}, {})));
});

test('a flag overrides the environment, which overrides the default', () => {
  type Text = Exclude<
    keyof ServeConfig,
    | 'allowTargets'
    | 'corsOrigins'
    | 'trustedProxies'
    | 'smtp'
    | 'mailAllow'
    | 'metrics'
    | 'secretKeys'
    | 'backups'
    | 'spans'
  >;
  const rows: [setting: Text, flag: string, variable: string, values: string[]][] = [
    ['host', 'host', 'JOBD_HOST', ['0.0.0.0', '::1', '127.0.0.1']],
    ['port', 'port', 'JOBD_PORT', ['0', '9090', '8080']],
    ['slots', 'slots', 'JOBD_SLOTS', ['1', '10000', '512']],
    ['slotsPerHost', 'slotsPerHost', 'JOBD_SLOTS_PER_HOST', ['1', '9', '256']],
    ['baseUrl', 'baseUrl', 'JOBD_BASE_URL', ['https://a.example', 'http://b.example/x', 'null']],
    ['logLevel', 'logLevel', 'JOBD_LOG_LEVEL', ['debug', 'silent', 'info']],
    ['logFormat', 'logFormat', 'JOBD_LOG_FORMAT', ['human', 'json', 'null']],
    [
      'heartbeatUrl',
      'heartbeatUrl',
      'JOBD_HEARTBEAT_URL',
      ['https://a.example/beat', 'http://127.0.0.1:1/', 'null'],
    ],
    ['dataDir', 'data', 'JOBD_DATA', ['/one', '/two', '/home/ann/.local/share/jobd']],
  ];
  for (const [setting, flag, variable, [inFlag = '', inVariable = '', fallback]] of rows) {
    const read = (flags: object, env: object): string =>
      String(serveConfig({ ...flags }, { ...env })[setting]);
    assert.equal(read({ [flag]: inFlag }, { [variable]: inVariable }), inFlag, flag);
    assert.equal(read({}, { [variable]: inVariable }), inVariable, variable);
    assert.equal(read({}, { [variable]: '' }), fallback, `${variable} set to nothing`);
    assert.equal(read({}, {}), fallback, `default of ${flag}`);
  }
});

function portsOf({ allowTargets }: ServeConfig): unknown[] {
  return allowTargets.map(({ ports }) => ports);
}

function limit(value: string, env = {}): number | null {
  return serveConfig({ maxDatabaseSize: value }, env).maxDatabaseBytes;
}

test('the largest size of the database is a size, and only for a file', () => {
  assert.equal(limit('2GiB', { JOBD_MAX_DATABASE_SIZE: '1GiB' }), 2 * 1024 ** 3);
  assert.equal(serveConfig({}, { JOBD_MAX_DATABASE_SIZE: '64M' }).maxDatabaseBytes, 64 * 1024 ** 2);
  for (const value of ['much', '31MiB', '0']) {
    assertRefused(
      () => limit(value),
      /^--max-database-size \(or JOBD_MAX_DATABASE_SIZE\) must be a size such as 512MiB.*, got /,
    );
  }
  assertRefused(
    () => limit('2GiB', { JOBD_DATABASE_URL: 'postgres://db.internal/jobd' }),
    /only for a database in a file: PostgreSQL keeps the space/,
  );
});

test('allowed targets come from repeated flags, or from a list in the environment', () => {
  const env = { JOBD_ALLOW_TARGETS: '10.0.0.0/8, 127.0.0.1/32:* [::1]:81' };
  assert.deepEqual(portsOf(serveConfig({}, env)), ['default', 'any', 81]);
  assert.deepEqual(portsOf(serveConfig({ allowTarget: ['127.0.0.1:82', '::1'] }, env)), [
    82,
    'default',
  ]);
});

test('origins come from repeated flags, or from a list in the environment', () => {
  const env = { JOBD_CORS_ORIGINS: 'https://a.example, http://localhost:3000' };
  assert.deepEqual(serveConfig({}, env).corsOrigins, [
    'https://a.example',
    'http://localhost:3000',
  ]);
  assert.deepEqual(serveConfig({ corsOrigin: ['https://b.example'] }, env).corsOrigins, [
    'https://b.example',
  ]);
  const spelledOtherwise = [
    '*',
    'null',
    'a.example',
    'https://a.example/',
    'https://A.example',
    'https://a.example:443',
    'https://*.a.example',
    'ftp://a.example',
    'https://me@a.example',
  ];
  for (const origin of spelledOtherwise) {
    assertRefused(
      () => serveConfig({ corsOrigin: [origin] }, {}),
      /^--cors-origin \(or JOBD_CORS_ORIGINS\) must be an origin such as https:.*, got /,
    );
  }
});

test('trusted proxies come from repeated flags, or from a list in the environment; never all addresses', () => {
  const env = { JOBD_TRUSTED_PROXY: '127.0.0.1, 10.0.0.0/8 fd00::/8' };
  const of = (flags: Flags): string[] =>
    serveConfig(flags, env).trustedProxies.map(({ text }) => text);
  assert.deepEqual(of({}), ['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
  assert.deepEqual(of({ trustedProxy: ['::1'] }), ['::1']);
  for (const text of ['0.0.0.0/0', '::/0']) {
    assertRefused(() => of({ trustedProxy: [text] }), /must not be all addresses, got /);
  }
  for (const text of ['10.0.0.1/8', 'localhost', '127.0.0.1:80', '*']) {
    assertRefused(
      () => of({ trustedProxy: [text] }),
      /^--trusted-proxy \(or JOBD_TRUSTED_PROXY\) must be an address or block such as .*, got /,
    );
  }
});

test('the URL of a database is shown without its password, even where it is not encoded', () => {
  const rows = [
    ['postgres://ann@h:1/d?pool=3', 'postgres://ann@h:1/d?pool=3'],
    ['postgres://[::1]:5432/d', 'postgres://[::1]:5432/d'],
    ['postgres://ann:secret@h/d', 'postgres://ann@h/d'],
    ['postgres://ann:p@secret@h/d', 'postgres://ann@h/d'],
    ['postgres://ann:p/secret:x?y@h/d', 'postgres://ann@h/d'],
    ['postgres://h/d?password=secret&pool=3', 'postgres://h/d?password=&pool=3'],
  ] as const;
  for (const [url, shown] of rows) assert.equal(withoutPassword(url), shown);
});

test('the database is on a server if a flag or the environment says so; a flag wins over the environment', () => {
  const [one, two] = ['postgres://one@h/d', 'postgresql://two:secret@h,i:5433/d?sslmode=require'];
  const env = { JOBD_DATABASE_URL: two, JOBD_DATA: '/a' };
  assert.equal(databaseUrl({}, {}), null);
  assert.equal(databaseUrl({ data: '/b' }, { JOBD_DATABASE_URL: '' }), null);
  assert.equal(databaseUrl({}, env), two);
  assert.equal(databaseUrl({ database: one }, env), one);
  assert.equal(databaseUrl({ data: '/b' }, env), null);
  for (const [flags, variables, words] of [
    [{ data: '/b', database: one }, {}, /^either --data for a file, or --database for a server$/],
    [{ database: 'mysql://h/d' }, {}, /^--database must be the URL of a PostgreSQL database: post/],
    [{ database: '' }, {}, /^--database must be the URL/],
    [{}, { JOBD_DATABASE_URL: ' ' }, /^JOBD_DATABASE_URL is empty: set it .*, or remove it$/],
    [
      { database: 'postgres://a:12/secret@h/d' },
      {},
      /^everybody .* can read a password in --database: (?!.*secret)/,
    ],
    [{}, { JOBD_DATABASE_URL: 'secret' }, /^JOBD_DATABASE_URL must be the URL(?!.*secret)/],
    [{ database: two }, {}, /^everybody .* can read a password in --database: (?!.*secret)/],
  ] as const) {
    assertRefused(() => databaseUrl(flags, variables), words);
  }
});

test('a master key of the environment is in a variable or in the file of another', (t) => {
  const file = join(temporaryDirectory(t), 'key');
  writeFileSync(file, ' 7a7a \n');
  const none = { current: null, next: null };
  assert.deepEqual(secretKeys({}), none);
  assert.deepEqual(secretKeys({ JOBD_SECRET_KEY: ' 7b ', JOBD_SECRET_KEY_FILE: '' }), {
    ...none,
    current: { name: 'JOBD_SECRET_KEY', text: '7b' },
  });
  assert.deepEqual(secretKeys({ JOBD_SECRET_KEY_NEW_FILE: file }), {
    ...none,
    next: { name: 'JOBD_SECRET_KEY_NEW_FILE', text: '7a7a' },
  });
  const both = { JOBD_SECRET_KEY: '7b', JOBD_SECRET_KEY_FILE: file };
  assertRefused(() => secretKeys(both), /^either JOBD_SECRET_KEY or JOBD_SECRET_KEY_FILE, not/);
  const missing = { JOBD_SECRET_KEY_FILE: `${file}.no` };
  assertRefused(() => secretKeys(missing), /^JOBD_SECRET_KEY_FILE: there is no file .*key\.no$/);
  writeFileSync(file, '\n');
  assertRefused(() => secretKeys({ JOBD_SECRET_KEY_FILE: file }), /key is empty$/);
});

test('the data directory follows systemd and XDG conventions', () => {
  const all = { JOBD_DATA: '/a', STATE_DIRECTORY: '/b', XDG_DATA_HOME: '/c' };
  assert.equal(dataDir({ data: '/flag' }, all), '/flag');
  assert.equal(dataDir({}, all), '/a');
  assert.equal(dataDir({}, { ...all, JOBD_DATA: '' }), '/b');
  assert.equal(dataDir({}, { XDG_DATA_HOME: '/c' }), join('/c', 'jobd'));
  assert.equal(dataDir({ data: 'here' }, {}), join(process.cwd(), 'here'));
});

test('a trailing slash of a site URL makes no difference', () => {
  assert.equal(
    serveConfig({ baseUrl: 'https://a.example/x//' }, {}).baseUrl,
    'https://a.example/x',
  );
  assert.equal(clientConfig({ JOBD_URL: 'http://a.example/' }).url, 'http://a.example');
});

test('the address to listen on may have brackets, a name or a zone, and nothing else', () => {
  const hostOf = (host: string): string => serveConfig({ host }, {}).host;
  const taken: [given: string, host: string][] = [
    ['[::1]', '::1'],
    ['[::]', '::'],
    ['[127.0.0.1]', '127.0.0.1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['[fe80::1%eth0.5]', 'fe80::1%eth0.5'],
    ['localhost', 'localhost'],
    ['my_host.lan', 'my_host.lan'],
  ];
  for (const [given, host] of taken) assert.equal(hostOf(given), host);
  const refused =
    'unix:/run/jobd.sock /run/jobd.sock 127.0.0.1:80 [::1]:80 http://127.0.0.1 *:80 [::1 ::1] [] 1::2::3 ::1%a/b a,b';
  for (const host of refused.split(' ')) {
    assertRefused(
      () => hostOf(host),
      /^--host \(or JOBD_HOST\) must be an address or a name, .*got /,
    );
  }
  assert.equal(serveConfig({}, { JOBD_HOST: '[::1]' }).host, '::1');
});

test('an invalid setting is refused, naming flag, variable and value', () => {
  const rows: [flags: Record<string, string | string[]>, words: RegExp][] = [
    [{ port: 'abc' }, /^--port \(or JOBD_PORT\) must be a whole number .* 65535, got abc$/],
    [{ port: '65536' }, /^--port .*got 65536$/],
    [{ port: '-1' }, /^--port .*got -1$/],
    [{ port: '80.5' }, /^--port .*got 80\.5$/],
    [{ slots: '0' }, /^--slots \(or JOBD_SLOTS\) .* between 1 and 10000, got 0$/],
    [{ slotsPerHost: 'x' }, /^--slots-per-host \(or JOBD_SLOTS_PER_HOST\) .*got x$/],
    [
      { baseUrl: 'example.com' },
      /^--base-url \(or JOBD_BASE_URL\) must be .*URL, got example\.com$/,
    ],
    [{ baseUrl: 'ftp://a.example' }, /^--base-url .*http or https/],
    [{ baseUrl: 'https://a.example/?b' }, /^--base-url .*got https:\/\/a\.example/],
    [{ logLevel: 'loud' }, /^--log-level \(or JOBD_LOG_LEVEL\) must be one of fatal,.*got loud$/],
    [
      { logFormat: 'pretty' },
      /^--log-format \(or JOBD_LOG_FORMAT\) must be one of human, json, got pretty$/,
    ],
    [{ allowTarget: ['10.0.0.1/8'] }, /^--allow-target \(or JOBD_ALLOW_TARGETS\) must be.*got "10/],
    [{ metrics: '9090' }, /^--metrics \(or JOBD_METRICS\) must be HOST:PORT, .*got 9090$/],
    [{ metrics: 'h:99999' }, /^--metrics .*got h:99999$/],
    [
      { backupEvery: '2h' },
      /^--backup-every has no effect without --backup-to \(or JOBD_BACKUP_TO\)/,
    ],
    [{ backupKeep: '7' }, /^--backup-keep has no effect without --backup-to/],
    [{ backupRecipient: [] }, /^--backup-recipient has no effect without --backup-to/],
    [{ allowTarget: ['::1:99999999'] }, /^--allow-target \(or JOBD_ALLOW_TARGETS\)/],
  ];
  for (const [flags, words] of rows) assertRefused(() => serveConfig(flags, {}), words);
  assertRefused(
    () => serveConfig({}, { JOBD_BACKUP_KEEP: '7d' }),
    /^JOBD_BACKUP_KEEP has no effect .* or leave JOBD_BACKUP_KEEP out$/,
  );
  assertRefused(() => serveConfig({}, { JOBD_PORT: 'x' }), /^--port \(or JOBD_PORT\) .*got x$/);
  assertRefused(
    () => serveConfig({}, { JOBD_ALLOW_TARGETS: 'lan' }),
    /^--allow-target \(or JOBD_ALLOW_TARGETS\) .*got "lan"$/,
  );
});

test('commands use the local daemon unless JOBD_URL is set', () => {
  const local = { url: 'http://127.0.0.1:8080', apiKey: null };
  assert.partialDeepStrictEqual(clientConfig({}), local);
  assert.deepEqual(clientConfig({ JOBD_URL: '', JOBD_API_KEY: '' }), clientConfig({}));
  const given = clientConfig({ JOBD_URL: 'https://a.example/x', JOBD_API_KEY: ' cp_1\n' });
  const keyFrom = 'JOBD_API_KEY';
  assert.deepEqual(given, { url: 'https://a.example/x', apiKey: 'cp_1', keyFrom });
  const api = clientConfig({ JOBD_URL: 'https://a.example/api/v1/', JOBD_API_KEY: 'cp_1' });
  assert.equal(api.url, 'https://a.example', 'the URL of the API names its server too');
  assertRefused(() => clientConfig({ JOBD_URL: 'nonsense' }), /^JOBD_URL must be .*got nonsense$/);
  assertRefused(
    () => clientConfig({ JOBD_URL: 'http://me:hunter2@a.example' }),
    /^JOBD_URL must not contain a user name or password$/,
  );
});

test('NO_COLOR counts if it is not empty', () => {
  assert.deepEqual(
    [noColor({}), noColor({ NO_COLOR: '' }), noColor({ NO_COLOR: '1' })],
    [false, false, true],
  );
});

test('--trace-context is off unless the flag or JOBD_TRACE_CONTEXT is given', () => {
  assert.equal(serveConfig({ traceContext: true }, {}).traceContext, true);
  assert.equal(serveConfig({}, { JOBD_TRACE_CONTEXT: '1' }).traceContext, true);
  assert.equal(serveConfig({}, { JOBD_TRACE_CONTEXT: '' }).traceContext, false);
});
