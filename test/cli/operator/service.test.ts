/** What the files of the service say: its unit, the changes to it, and its settings. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { enterDataDir } from '../../../src/cli/operator/local.ts';
import type { Output } from '../../../src/cli/terminal/output.ts';
import {
  environmentOfService,
  findService,
  findServiceUrl,
} from '../../../src/cli/operator/service.ts';
import { notRoot } from '../../support/running/other-user.ts';

test('the service is what its unit and its settings say', { skip: notRoot }, (t) => {
  const directory = fs.mkdtempSync(join(userInfo().homedir, 'jobd-test-'));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const files = {
    unit: join(directory, 'jobd.service'),
    settings: join(directory, 'jobd.env'),
    changes: join(directory, 'jobd.service.d'),
  };
  const unit = '[Service]\nExecStart=/usr/local/bin/jobd serve\nStateDirectory=jobd\n';
  const found = (unitText: string | null, settings: string | null): string | null => {
    fs.rmSync(files.unit, { force: true });
    fs.rmSync(files.settings, { force: true });
    if (unitText !== null) fs.writeFileSync(files.unit, unitText, { mode: 0o644 });
    if (settings !== null) fs.writeFileSync(files.settings, settings, { mode: 0o640 });
    return findService(files)?.dataDir ?? null;
  };
  assert.equal(found(null, null), null);
  assert.equal(found(null, 'JOBD_PORT=1\n'), null);
  assert.equal(found(unit, '#JOBD_DATA=/no\nJOBD_PORT=1\n'), '/var/lib/jobd');
  assert.equal(found(unit, 'JOBD_DATA=/srv/a\nJOBD_DATA="/srv/b"\n'), '/srv/b');
  assert.equal(found(`${unit}Environment=JOBD_DATA=/srv/c\n`, ''), '/srv/c');
  assert.equal(
    found(unit.replace(' serve', ' serve --port 1 --data /srv/d'), 'JOBD_DATA=/a'),
    '/srv/d',
  );
  assert.equal(found(unit, null), '/var/lib/jobd');

  const urls: [settings: string, url: string | null][] = [
    ['JOBD_DATA=/srv/a\n', 'http://127.0.0.1:8080'],
    ['JOBD_PORT=9000\n', 'http://127.0.0.1:9000'],
    ['JOBD_HOST=0.0.0.0\nJOBD_PORT="80"\n', 'http://127.0.0.1'],
    ['JOBD_HOST=::1\n', 'http://[::1]:8080'],
    ['JOBD_PORT=9000\nJOBD_BASE_URL=https://jobs.example.com/\n', 'https://jobs.example.com'],
    ['JOBD_PORT=none\n', null],
    ['JOBD_PORT=0\n', null],
  ];
  for (const [settings, url] of urls) {
    found(unit, settings);
    assert.equal(findServiceUrl(files), url, settings);
  }

  const environment = (keys: Record<string, string> = {}) =>
    environmentOfService(findService(files), (name) => keys[name]);
  found(unit, 'JOBD_SECRET_KEY=a\n');
  const own = { JOBD_SECRET_KEY_FILE: '/k', JOBD_SECRET_KEY_NEW: 'n', JOBD_PORT: '1' };
  assert.deepEqual(
    environment(own)?.variables,
    {
      STATE_DIRECTORY: '/var/lib/jobd',
      JOBD_SECRET_KEY: undefined,
      JOBD_SECRET_KEY_FILE: '/k',
      JOBD_SECRET_KEY_NEW: 'n',
      JOBD_SECRET_KEY_NEW_FILE: undefined,
    },
    'the keys of the command win',
  );
  found(unit, '');

  // `systemctl edit jobd` changes the unit, and the file of settings wins over both.
  fs.mkdirSync(files.changes);
  const change = join(files.changes, 'override.conf');
  const load = 'LoadCredential=key:/etc/jobd/key\nEnvironment=JOBD_SECRET_KEY_FILE=%d/key';
  fs.writeFileSync(change, `[Service]\nEnvironment=JOBD_PORT=1 JOBD_SLOTS=7\n${load}\n`);
  found(unit, 'JOBD_PORT="2"\nexport JOBD_HOST=::1\n');
  const others = { STATE_DIRECTORY: '/var/lib/jobd', JOBD_PORT: '2', JOBD_SLOTS: '7' };
  assert.deepEqual(environment(), {
    flags: { signing: true },
    variables: { ...others, JOBD_SECRET_KEY_FILE: '/etc/jobd/key' },
    ignored: [`${files.settings}, line 2: export JOBD_HOST`],
  });
  assert.deepEqual(environment({ JOBD_SECRET_KEY: 'a', JOBD_PORT: '3' })?.variables, {
    ...others,
    JOBD_SECRET_KEY: 'a',
    JOBD_SECRET_KEY_FILE: undefined,
  });
  const options =
    '--port=9 --no-signing --allow-target ::1/128 --allow-target "10.0.0.0/8" --trace-context';
  const place = '--host ::1 --database postgres://jobd@db/jobd';
  found(unit.replace(' serve', ` serve ${options} ${place}`), 'JOBD_PORT="2"\n');
  assert.deepEqual(environment()?.flags, {
    port: '9',
    signing: false,
    allowTarget: ['::1/128', '10.0.0.0/8'],
    traceContext: true,
    host: '::1',
    database: 'postgres://jobd@db/jobd',
  });
  assert.equal(findServiceUrl(files), 'http://[::1]:9', 'options win over variables');
  found(unit.replace(' serve', ' serve --data'), '');
  assert.deepEqual(environment()?.flags, {}, 'what serve would refuse says nothing');
  found(unit, '');
  fs.rmSync(files.settings);
  assert.equal(environment()?.variables['JOBD_PORT'], '1', 'systemd does without the file');
  // What may not be read may say anything.
  fs.writeFileSync(files.settings, 'JOBD_PORT=3\n');
  fs.chownSync(files.settings, 12_345, 0);
  assert.equal(environment(), null);
  fs.chmodSync(change, 0o666);
  fs.rmSync(files.settings);
  assert.deepEqual(environment()?.variables, { STATE_DIRECTORY: '/var/lib/jobd' });
  fs.rmSync(files.changes, { recursive: true });
  assert.deepEqual(environment()?.variables, { STATE_DIRECTORY: '/var/lib/jobd' });
  fs.rmSync(files.unit);
  assert.equal(environment(), null, 'there is no service');

  // What somebody else may have written names nothing.
  for (const spoil of [
    () => fs.chmodSync(files.unit, 0o666),
    () => fs.chownSync(files.unit, 12_345, 0),
    () => fs.chmodSync(directory, 0o777),
  ]) {
    assert.equal(found(unit, null), '/var/lib/jobd');
    spoil();
    assert.equal(findService(files), null);
    fs.chmodSync(directory, 0o700);
  }
});

test('root works with the master key of the service, in its data alone', { skip: notRoot }, (t) => {
  const directory = fs.mkdtempSync(join(userInfo().homedir, 'jobd-test-'));
  t.after(() => fs.rmSync(directory, { recursive: true }));
  const key = join(directory, 'key');
  fs.writeFileSync(key, 'of the service\n', { mode: 0o600 });
  const variables = { JOBD_SECRET_KEY_FILE: key };
  const environment = { flags: {}, variables, ignored: [] };
  const service = { dataDir: directory, namedIn: '/etc/jobd/jobd.env', environment };
  const output = { say: () => {} } as unknown as Output;
  const keyIn = (path: string): string | undefined =>
    enterDataDir({ path, namedBy: '--data', service }, output).keys.current?.text;
  assert.equal(keyIn(directory), 'of the service');
  assert.equal(keyIn(join(directory, 'other')), undefined);
});
