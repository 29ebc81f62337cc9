/** Files of a data directory that somebody removes or replaces while jobd serves them. */

import assert from 'node:assert/strict';
import { execSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, serveCommand, type ServedDaemon } from '../../support/running/command.ts';
import { until } from '../../support/until.ts';

const sentence = /jobd\.db(?:-wal)? was moved, removed or replaced while it was in use/;

async function readiness({ url }: ServedDaemon): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/readyz`);
  return { status: answer.status, text: await answer.text() };
}

test('a database that is removed or replaced is noticed, and nothing is stored in it any more', async (t) => {
  const daemon = await serveCommand(t);
  const { dataDir, jobd } = daemon;
  const create = () =>
    jobd('jobs', 'create', '--name', 'a', '--url', 'http://127.0.0.1:1/', '--every', '1h');
  const kept = join(dataDir, 'kept');
  const ways: [name: string, file: string, replace: (path: string) => void][] = [
    ['removed', 'jobd.db', () => {}],
    ['replaced', 'jobd.db', (path) => copyFileSync(kept, path)],
    ['log removed', 'jobd.db-wal', () => {}],
  ];
  const doctor = () => runCommand(['doctor'], { JOBD_DATA: dataDir });
  for (const [name, file, replace] of ways) {
    const path = join(dataDir, file);
    renameSync(path, kept);
    replace(path);
    const { text } = await until(name, async () => {
      const answer = await readiness(daemon);
      return answer.status === 503 ? answer : null;
    });
    assert.match(text, sentence, name);
    const created = await create();
    assert.notEqual(created.exitCode, 0, name);
    assert.match(created.stderr, sentence, name);
    if (file === 'jobd.db') {
      const { stdout, exitCode } = await doctor();
      assert.equal(exitCode, 1);
      assert.match(
        stdout,
        /^fail\t.*\tprocess \d+ has another file open than .*, which was moved to/m,
      );
      assert.ok(
        stdout.includes(`- move ${kept} back to ${path}, with ${kept}-wal and -shm beside it`),
        stdout,
      );
    }
    renameSync(kept, path);
    await until('ready again', async () => (await readiness(daemon)).status === 200);
  }
  assert.equal((await create()).exitCode, 0);
  const { stderr } = await daemon.stop('SIGTERM');
  const told = stderr.split('\n').filter((line) => line.includes('the database cannot be used'));
  // Once for all loops; two outages are one for those who did not look in between.
  assert.ok(told.length > 0 && told.length <= ways.length, stderr);
});

test('a database that was removed can be copied from the daemon that has it open', async (t) => {
  const daemon = await serveCommand(t);
  const { dataDir } = daemon;
  rmSync(join(dataDir, 'jobd.db'));
  await until('that it is noticed', async () => (await readiness(daemon)).status === 503);
  const { stdout } = await runCommand(['doctor'], { JOBD_DATA: dataDir });
  const copies = /- before you stop jobd, copy what it has open: (.*)$/m.exec(stdout)?.[1] ?? '';
  execSync(copies, { cwd: dataDir });
  await daemon.stop('SIGTERM');
  const saved = join(dataDir, 'saved.db');
  const restored = await daemon.jobd('restore', saved, '--unverified', '--yes');
  assert.equal(restored.exitCode, 0, restored.stderr);
  assert.match((await runCommand(['doctor'], { JOBD_DATA: dataDir })).stdout, /^ok\tdatabase/m);
});

test('a lock that is removed keeps a second daemon out, and is taken again', async (t) => {
  const daemon = await serveCommand(t);
  const { dataDir } = daemon;
  const lock = join(dataDir, 'serve.lock');
  const pid = readFileSync(join(dataDir, 'serve.pid'), 'utf8').trim();
  const second = () => runCommand(['serve', '--port', '0', '--data', dataDir]);
  for (const file of ['serve.lock', 'serve.pid']) rmSync(join(dataDir, file));
  const refusal = new RegExp(`^jobd: another jobd \\(process ${pid}\\) already serves `);
  assert.match((await second()).stderr, refusal);
  await until('a new lock', () => existsSync(lock));
  const again = await second();
  assert.deepEqual([again.exitCode, again.stdout], [5, '']);
  assert.match(again.stderr, refusal);
  assert.match(
    (await daemon.stop('SIGTERM')).stderr,
    /serve\.lock was removed, and is locked again/,
  );
});
