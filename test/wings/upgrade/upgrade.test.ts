/** Which versions take the place of the present one. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { comesBack, commandSupervisor, servedUrl } from '../../../src/wings/upgrade/supervisor.ts';
import { lockDataDir } from '../../../src/store/sqlite/lock.ts';
import { upgrade } from '../../../src/wings/upgrade/upgrade.ts';
import { isOlder } from '../../../src/wings/upgrade/versions.ts';
import { ownPort } from '../../support/own-port.ts';
import { temporaryDirectory } from '../../support/directory.ts';

const programOf = (version: string): string => `#!/bin/sh\necho ${version}\n`;

test('an older version is refused unless it is wanted', async (t) => {
  const directory = temporaryDirectory(t);
  const [executable, from] = [join(directory, 'jobd'), join(directory, 'offered')];
  fs.writeFileSync(executable, programOf('0.10.0'), { mode: 0o755 });
  const offer = async (version: string, mayBeOlder: boolean) => {
    const program = programOf(version);
    fs.writeFileSync(from, program);
    const sha256 = createHash('sha256').update(program).digest('hex');
    return await upgrade({
      source: { from, sha256, publicKey: null },
      mayBeOlder,
      executable,
      dataDir: null,
      supervisor: null,
      url: 'http://127.0.0.1:9',
      waitMs: 1_000,
      say: () => {},
    });
  };
  await assert.rejects(offer('0.9.9', false), {
    code: 'conflict',
    message: /^jobd 0\.9\.9 is older than jobd 0\.10\.0, which is here: .*; nothing was changed$/,
    notes: ['if you want to go back to it, add --allow-older'],
  });
  assert.equal(fs.readFileSync(executable, 'utf8'), programOf('0.10.0'));
  for (const [version, mayBeOlder] of [
    ['0.10.0', false],
    ['0.9.9', true],
    ['0.11.0-rc.1', false],
  ] as const) {
    assert.equal((await offer(version, mayBeOlder)).to, version);
    assert.equal(fs.readFileSync(executable, 'utf8'), programOf(version));
  }
});

test('what a command that stops has left is named, and stopped', async (t) => {
  const dataDir = temporaryDirectory(t);
  const lock = join(dataDir, 'serve.lock');
  const serving = `fs.openSync(${JSON.stringify(lock)}, 'w'); console.log(); setInterval(() => {}, 60_000)`;
  const left = spawn(process.execPath, ['-e', serving]);
  t.after(() => left.kill('SIGKILL'));
  await once(left.stdout, 'data');
  fs.writeFileSync(join(dataDir, 'serve.pid'), `${left.pid}\n`);
  const supervisor = commandSupervisor(dataDir, 'true', 'true');
  const watch = {
    dataDir,
    url: 'http://127.0.0.1:9',
    before: left.pid!,
    waitMs: 1_000,
    supervisor,
  };
  assert.equal(
    await comesBack(watch),
    `it was not ready within 1 s: process ${left.pid}, which served before, still does`,
  );
  const ended = once(left, 'exit');
  assert.ok((await supervisor.stop()).isOk);
  assert.deepEqual(await ended, [null, 'SIGTERM']);
});

test('a process that only has the number of one which served is not stopped', async (t) => {
  const dataDir = temporaryDirectory(t);
  fs.writeFileSync(join(dataDir, 'serve.lock'), '');
  fs.writeFileSync(join(dataDir, 'serve.pid'), `${process.pid}\n`);
  // This process would end by it.
  assert.ok((await commandSupervisor(dataDir, 'true', 'true').stop()).isOk);
});

test('where the process that serves listens is known without asking', async (t) => {
  const dataDir = temporaryDirectory(t);
  fs.writeFileSync(join(dataDir, 'serve.url'), 'http://127.0.0.1:18100\nan invented line\n');
  assert.equal(servedUrl(dataDir), null);
  fs.writeFileSync(join(dataDir, 'serve.pid'), `${process.pid}\n`);
  using _ = lockDataDir(dataDir);
  assert.equal(servedUrl(dataDir), 'http://127.0.0.1:18100');
});

test('a server is asked at whatever address of its own it listens', async (t) => {
  const server = createServer((_, answer) => answer.end('{}')).listen(0, '127.0.0.2');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const supervisor = commandSupervisor('', 'true', null);
  const watch = { dataDir: null, before: null, waitMs: 60_000, supervisor };
  assert.equal(await comesBack({ ...watch, url: `http://127.0.0.2:${port}` }), null);
});

test('nothing is replaced while nothing listens where the new version would be asked', async (t) => {
  const directory = temporaryDirectory(t);
  const [executable, from] = [join(directory, 'jobd'), join(directory, 'offered')];
  fs.writeFileSync(executable, programOf('0.1.0'), { mode: 0o755 });
  fs.writeFileSync(from, programOf('0.2.0'));
  const sha256 = createHash('sha256').update(programOf('0.2.0')).digest('hex');
  const upgraded = upgrade({
    source: { from, sha256, publicKey: null },
    mayBeOlder: false,
    executable,
    dataDir: null,
    supervisor: commandSupervisor(directory, 'false', null),
    url: `http://127.0.0.1:${await ownPort()}`,
    waitMs: 1,
    say: () => {},
  });
  await assert.rejects(upgraded, {
    code: 'conflict',
    message: /ECONNREFUSED.*; nothing was changed$/,
    notes: ['name where jobd answers: --url URL', 'if it does not run, add --no-restart'],
  });
  assert.equal(fs.readFileSync(executable, 'utf8'), programOf('0.1.0'));
});

test('versions have the order of semantic versions', () => {
  const ordered = [
    '0.1.0',
    '0.9.0',
    '0.10.0',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-alpha.beta',
    '1.0.0-beta',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1.0.0',
    '1.0.1',
    '10.0.0',
  ];
  for (const [index, one] of ordered.entries()) {
    for (const [place, other] of ordered.entries()) {
      assert.equal(isOlder(one, other), index < place, `${one} ${other}`);
    }
  }
  assert.equal(isOlder('1.0.0+one', '1.0.0+two'), false);
  assert.equal(isOlder('unknown', '1.0.0'), false);
});
