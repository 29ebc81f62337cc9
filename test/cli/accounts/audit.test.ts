/** `jobd audit`, and what commands on the data directory leave in the trail (docs/behavior.md#audit-1). */

import assert from 'node:assert/strict';
import { chownSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { makeStore } from '../../support/running/prepare.ts';
import { nobody } from '../../support/running/other-user.ts';
import { bearer, send } from '../../support/running/send.ts';

/** Who made the keys of a data directory, oldest first. */
async function makersIn(dataDir: string): Promise<string[][]> {
  await using local = await openTestLocal(dataDir);
  const entries = await local.store.db
    .selectFrom('audit_entries')
    .select(['actor_type', 'actor_id', 'actor_name'])
    .orderBy('number')
    .execute();
  return entries.map((entry) => [entry.actor_type, entry.actor_id, entry.actor_name]);
}

/** Who runs these tests. */
const user = userName();

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

test('a command is in the trail as the user who ran it, also behind sudo', async (t) => {
  const dataDir = temporaryDirectory(t);
  const env = { JOBD_DATA: dataDir };
  await makeStore(dataDir);
  // Root acts as the owner of the data.
  if (process.getuid?.() === 0) {
    for (const path of [dataDir, join(dataDir, 'jobd.db')]) chownSync(path, nobody, nobody);
  }
  for (const sudo of [{}, { SUDO_USER: 'alice' }]) {
    const { exitCode, stderr } = await runCommand(['key', 'create'], { ...env, ...sudo });
    assert.equal(exitCode, 0, stderr);
  }
  assert.deepEqual(await makersIn(dataDir), [
    ['command', user, user],
    ['command', 'alice', 'alice (sudo)'],
  ]);
});

test('a list without entries says whether a filter left them out', async (t) => {
  const { jobd } = await serveCommand(t);
  const nothing = await jobd('audit', '--action', 'job');
  assert.deepEqual(nothing, { exitCode: 0, stdout: '', stderr: 'no entry matches\n' });
  const named = await jobd('audit', '--subject', 'backup');
  assert.deepEqual(named, {
    exitCode: 3,
    stdout: '',
    stderr: 'jobd: there is no subject named backup; jobd audit shows them\n',
  });
});

test('entries are chosen by a name or the beginning of an id, also of what was deleted', async (t) => {
  const { env, jobd } = await serveCommand(t);
  for (const name of ['mon', 'twin', 'twin']) {
    await jobd('monitors', 'create', '--name', name, '--every', '1h', '--allow-duplicate');
  }
  await jobd('monitors', 'delete', 'mon', '--yes');
  const actionsOf = async (...args: string[]): Promise<(string | undefined)[]> => {
    const { stdout, stderr } = await jobd('audit', ...args);
    assert.equal(stderr, '');
    return stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[3]);
  };
  const lifeOfMon = ['monitor.delete', 'monitor.create'];
  assert.deepEqual(await actionsOf('--subject', 'mon'), lifeOfMon);
  const { entries } = JSON.parse((await jobd('audit', '--subject', 'mon', '--json')).stdout) as {
    entries: { subject: { id: string }; actor: { id: string } }[];
  };
  const [{ subject, actor } = assert.fail()] = entries;
  assert.deepEqual(await actionsOf('--subject', subject.id.slice(0, 35)), lifeOfMon);
  const byKey = await actionsOf('--actor', actor.id.slice(0, 35));
  assert.deepEqual(byKey, await actionsOf('--actor', actor.id));
  assert.equal(byKey.length, 4);
  assert.deepEqual(await actionsOf('--actor', user), ['key.create']);

  const either = await jobd('audit', '--subject', 'twin');
  assert.equal(either.exitCode, 2);
  assert.match(
    either.stderr,
    /^jobd: 2 subjects are named twin: use an id\n( {2}\S{36} {2}twin {2}monitor\n){2}$/,
  );
  // Nothing is searched for a whole id.
  const reader = (await jobd('key', 'create', '--read')).stdout.trim();
  const refused = await runCommand(['audit', '--subject', subject.id], {
    ...env,
    JOBD_API_KEY: reader,
  });
  assert.equal(refused.exitCode, 4);
});

test('an entry is shown with the address that a proxy named, and the id of who acted', async (t) => {
  const { url, env, jobd } = await serveCommand(t);
  const headers = { ...bearer(env['JOBD_API_KEY'] ?? ''), 'x-forwarded-for': '203.0.113.7' };
  const made = await send(`${url}/api/v1/monitors`, 'POST', { name: 'mon' }, headers);
  assert.equal(made.status, 201, await made.text());
  const [line = ''] = (await jobd('audit', '--action', 'monitor')).stdout.split('\n');
  const keyId = (await jobd('key', 'list')).stdout.trimEnd().split('\t').at(-1) ?? '';
  const [, who, from, action, name, , actorId] = line.split('\t');
  assert.deepEqual(
    [who, from, action, name, actorId],
    [`key ${keyId}`, '203.0.113.7 via 127.0.0.1', 'monitor.create', 'mon', keyId],
  );
});
