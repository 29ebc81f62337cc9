/** `jobd secrets forget`: jobd starts again after its master key was lost, and calls nothing without its credentials. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

/** The bytes of the database and its log. */
function bytesIn(dataDir: string): string {
  const path = join(dataDir, 'jobd.db');
  const files = [path, `${path}-wal`].filter((file) => existsSync(file));
  return files.map((file) => readFileSync(file, 'latin1')).join('');
}

test('the secrets of a lost key are discarded, and nothing is called or notified without its credentials', async (t) => {
  const before = await serveCommand(t);
  const { jobd, dataDir } = before;
  const sink = await startSink(t);
  const when = ['--cron', '0 0 1 1 *', '--url', sink.url];
  await jobd('jobs', 'create', '--name', 'plain', ...when);
  await jobd('jobs', 'create', '--name', 'sealed', ...when, '--header', 'X-Key: a key');
  const create = ['channels', 'create', '--name', 'ops', '--type', 'webhook', '--config', '-'];
  assert.equal((await runCommand(create, before.env, `{"url":"${sink.url}"}`)).exitCode, 0);
  const run = await jobd('jobs', 'run', 'plain', '--wait', '--json');
  const receipt = await jobd('runs', 'receipt', 'plain', JSON.parse(run.stdout).run.id);
  const { keys: oldKeys } = JSON.parse((await jobd('signing-key', 'export', '--all')).stdout);
  const local = { JOBD_DATA: dataDir };
  const running = await runCommand(['secrets', 'forget', 'x', '--yes'], local);
  assert.match(running.stderr, /already serves .*, stop it first/);
  assert.equal((await before.stop('SIGTERM')).exitCode, 0);
  const keyFile = join(dataDir, 'secret-key');
  const kept = join(dataDir, 'found-later');
  renameSync(keyFile, kept);
  const refused = await runCommand(['serve', '--port', '0'], local);
  const [, lostId = ''] =
    /only if there is no copy: jobd secrets forget (\w{16}) gives up .*, for good\n$/.exec(
      refused.stderr,
    ) ?? [];
  assert.ok(lostId, refused.stderr);

  const unasked = await runCommand(['secrets', 'forget', lostId], local);
  assert.deepEqual([unasked.exitCode, unasked.stdout], [2, '']);
  assert.match(unasked.stderr, /Use --yes/);
  const another = await runCommand(['secrets', 'forget', '0'.repeat(16), '--yes'], local);
  assert.deepEqual([another.exitCode, another.stdout], [3, '']);
  assert.ok(!existsSync(keyFile), 'nothing was made yet');
  renameSync(kept, keyFile);
  const there = await runCommand(['secrets', 'forget', lostId, '--yes'], local);
  assert.equal(there.exitCode, 5);
  assert.match(there.stderr, /is not lost: it is in .*secret-key; nothing was changed/);
  const wrong = { ...local, JOBD_SECRET_KEY: Buffer.alloc(32, 7).toString('hex') };
  const hidden = await runCommand(['secrets', 'forget', lostId, '--yes'], wrong);
  assert.equal(hidden.exitCode, 5, 'a wrong key in the environment destroys nothing');
  assert.match(hidden.stderr, /is not lost: it is in .*secret-key; nothing was changed/);

  assert.ok(bytesIn(dataDir).includes(`v1.${lostId}.`));
  rmSync(keyFile);
  const forgotten = await runCommand(['secrets', 'forget', lostId, '--yes'], local);
  assert.equal(forgotten.exitCode, 0, forgotten.stderr);
  assert.match(forgotten.stdout, /^job\t\S+\tdefault\tsealed\nchannel\t\S+\tdefault\tops\n$/);
  assert.match(
    forgotten.stderr,
    /^paused 1 job and disabled 1 channel: set [^]*\nthe key \S+ signs receipts from now on/,
  );
  assert.ok(!bytesIn(dataDir).includes(`v1.${lostId}.`), 'no ciphertext of the lost key is left');

  const calls = sink.received.length;
  const after = await startTestDaemon(t, { dataDir });
  const { jobs } = (await after.ask('GET', '/jobs')).body;
  assert.deepEqual(
    jobs.map((job: Record<string, unknown>) => [job['name'], job['status'], job['downReason']]),
    [
      [
        'sealed',
        'paused',
        'protocol: nothing is sent: the headers and the body cannot be opened, set both again',
      ],
      ['plain', 'up', null],
    ],
  );
  const [{ id }] = jobs;
  const { run: asked } = (await after.ask('POST', `/jobs/${id}/run`)).body;
  const ended = await until('the run by hand to fail', async () => {
    const shown = (await after.ask('GET', `/jobs/${id}/runs/${asked.id}`)).body.run;
    return shown.status === 'failed' && shown;
  });
  assert.match(ended.error, /nothing is sent/);
  assert.equal(sink.received.length, calls, 'nothing was called without its header');
  const { channels } = (await after.ask('GET', '/channels')).body;
  assert.deepEqual([channels.length, channels[0].enabled], [1, false]);

  const repaired = await after.ask('PATCH', `/jobs/${id}`, {
    headers: { 'X-Key': 'another' },
    body: null,
    action: 'resume',
  });
  assert.deepEqual([repaired.status, repaired.body.job.headerNames], [200, ['X-Key']]);
  const config = { url: sink.url, secret: `whsec_${'A'.repeat(32)}` };
  const enabled = await after.ask('PATCH', `/channels/${channels[0].id}`, {
    config,
    enabled: true,
  });
  assert.equal(enabled.status, 200);
  const { keys: newKeys } = (await after.ask('GET', '/receipts/keys')).body;
  assert.equal(newKeys.length, oldKeys.length + 1, 'the previous public key is still published');
  const { keyId } = JSON.parse(receipt.stdout);
  assert.ok(newKeys.some((key: { kid: string }) => key.kid === keyId));
  await using store = await openTestLocal(dataDir);
  assert.equal((await store.store.db.selectFrom('master_keys').selectAll().execute()).length, 1);
});
