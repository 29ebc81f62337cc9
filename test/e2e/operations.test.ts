/** Each command of docs/operations.md, in its order, on a server of its own with the packaged executable. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSink } from '../support/fakes/sink.ts';
import { executable, notPackaged } from '../support/running/executable.ts';
import { ownPort } from '../support/own-port.ts';
import { addSystemd, offerFile, releaseName } from '../support/running/service.ts';
import { makeThrowAwayRoot, noThrowAwayRoot } from '../support/running/throw-away-root.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');

/** What an operator types, by the section that says so. */
function typedIn(text: string): { section: string; command: string }[] {
  return text.split(/^## /m).flatMap((part) => {
    const section = part.slice(0, part.indexOf('\n'));
    return [...part.matchAll(/^\$ (.*)$/gm)].map(([, command = '']) => ({ section, command }));
  });
}

/** What is not on the machine of the test: a journal, and the unit of Caddy. */
const standIns = {
  '/usr/local/sbin/sudo': 'exec "$@"',
  '/usr/local/sbin/journalctl': 'cat /run/jobd.log',
};

const missing = ['age-keygen', 'caddy', 'curl'].find(
  (tool) => spawnSync(tool, ['--help']).error !== undefined,
);
const skip =
  notPackaged || noThrowAwayRoot || (missing !== undefined && `${missing} is not installed`);

test('every command of the operator’s page works', { skip, timeout: 300_000 }, async (t) => {
  const server = await makeThrowAwayRoot(t);
  const target = await startSink(t);
  const [port, metrics] = [await ownPort(), await ownPort()];
  for (const [path, program] of Object.entries(standIns)) {
    server.write(path, `#!/bin/sh\n${program}\n`, 0o755);
  }
  addSystemd(server);
  server.copy(join(root, 'install.sh'), '/offer/install.sh');
  server.copy(join(root, 'contrib', 'Caddyfile'), '/etc/caddy/Caddyfile');
  server.write('/etc/jobd/jobd.env', `JOBD_PORT=${port}\nJOBD_ALLOW_TARGETS=127.0.0.1/32:*\n`);
  offerFile(server, readFileSync(executable));

  const env = { HOME: '/root', JOBD_URL: `http://127.0.0.1:${port}` };
  const type = async (line: string) => {
    const command = line
      .replaceAll('jobd-linux-x64', releaseName)
      .replaceAll(':8080', `:${port}`)
      .replaceAll(':9464', `:${metrics}`)
      .replaceAll('https://backup.example.com', target.url)
      .replaceAll('AGE-PUBLIC-KEY', publicKey)
      .replaceAll('BACKUP-FILE', backupFile);
    return await server.run(['sh', '-c', `cd /offer && ${command}`], env);
  };
  let publicKey = '';
  let backupFile = '';
  const ready = async (): Promise<boolean> =>
    (await type('curl -fsS http://127.0.0.1:8080/readyz')).exitCode === 0;

  const typed = typedIn(page);
  assert.ok(typed.length > 30, `${typed.length} commands`);
  for (const { section, command } of typed) {
    const { exitCode, stdout, stderr } = await type(command);
    assert.equal(exitCode, 0, `${section}: ${command}\n${stdout}${stderr}`);
    if (command.startsWith('age-keygen -y')) publicKey = stdout.trim();
    if (command.includes('backup --to')) {
      backupFile = (await type('cp /var/backups/jobd/*.age . && ls *.age | tail -1')).stdout.trim();
      assert.equal((await type('cp /var/lib/jobd/secret-key .')).exitCode, 0);
    }
    if (/systemctl restart|install.sh/.test(command)) await until('readiness', ready);
    if (command.endsWith('/metrics')) assert.match(stdout, /^jobd_healthy 1$/m);
    if (command.includes('jobd doctor')) assert.doesNotMatch(stdout, /^fail/m);
    if (command.includes('jobd open')) assert.match(stdout, /^http/m);
  }
});
