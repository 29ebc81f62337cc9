/** A lost master key: the values that it sealed are discarded, the values of other keys are not. */

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { createChannel, getChannel } from '../../../src/app/alerts/channels.ts';
import { createJob, getJob, updateJob } from '../../../src/app/jobs/jobs.ts';
import { forgetLostKey } from '../../../src/app/secrets/lost-key.ts';
import { openStoreVault, rotateMasterKey } from '../../../src/app/secrets/master-keys.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { activateMasterKey } from '../../../src/store/secrets/master-keys.ts';
import { quietApp } from '../../support/running/app.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { loopback } from '../../support/running/store.ts';
import { writerIn } from '../../support/records/principal.ts';

test('after an interrupted rotation whose new key is lost, only the values of that key are discarded', async (t) => {
  const dataDir = temporaryDirectory(t);
  await using local = await openTestLocal(dataDir);
  const { store, masterKeys } = local;
  const vault = await local.openVault();
  const workspace = await store.db.selectFrom('workspaces').select('id').executeTakeFirst();
  const principal = writerIn(workspace?.id ?? '');
  const app = quietApp({ ...local, vault, allowTargets: loopback });
  const input = { name: 'a', url: 'http://127.0.0.1:1/', method: 'POST', body: 'old' } as const;
  const kept = await createJob(app, principal, input);
  const lost = await createJob(app, principal, { ...input, name: 'lost' });
  const keyFile = join(dataDir, 'secret-key');
  const oldFile = readFileSync(keyFile, 'utf8');
  const [active] = masterKeys.read();
  masterKeys.makeNext(active ?? assert.fail());
  const next = masterKeys.read()[0]?.id ?? '';
  await store.write((tx) => activateMasterKey(tx, next, 5));
  await updateJob(app, principal, lost.id, { body: 'sealed with the new one' });
  writeFileSync(keyFile, oldFile, { mode: 0o600 });

  await assert.rejects(openStoreVault(local), /is \w{16} and \w{16}, but in /);
  await assert.rejects(forgetLostKey(local, active?.id ?? ''), { code: 'conflict' });
  const { jobs, keyId } = await forgetLostKey(local, next);
  assert.deepEqual(jobs, [{ id: lost.id, name: 'lost', workspace: 'default' }]);
  assert.ok(keyId !== next && keyId !== active?.id, 'another key is active');
  const fresh = { ...app, vault: await openStoreVault(local) };
  assert.equal((await getJob(fresh, principal, kept.id)).body, 'old');
  const { paused, nextRunAt, downReason } = await getJob(fresh, principal, lost.id);
  assert.deepEqual([paused, nextRunAt], [true, null]);
  assert.match(downReason ?? '', /nothing is sent/);
  await rotateMasterKey(local);
  assert.equal((await getJob(fresh, principal, kept.id)).body, 'old');
});

test('each workspace has entries of its jobs and channels whose secrets were discarded', async (t) => {
  const dataDir = temporaryDirectory(t);
  await using local = await openTestLocal(dataDir);
  const vault = await local.openVault();
  await createWorkspace(local, { name: 'second', account: 'default' });
  const app = quietApp({ ...local, vault, allowTargets: loopback });
  const url = 'http://127.0.0.1:1/';
  const workspaces = await local.store.db
    .selectFrom('workspaces')
    .select(['id', 'name'])
    .orderBy('id')
    .execute();
  for (const { id, name } of workspaces) {
    await createJob(app, writerIn(id), { name, url, headers: { 'X-Key': 'a' } });
  }
  const [first] = workspaces;
  const channel = { name: 'c', type: 'webhook', config: { url } } as const;
  const made = await createChannel(app, writerIn(first?.id ?? ''), channel);
  const [lost] = local.masterKeys.read();
  rmSync(join(dataDir, 'secret-key'));
  const caller = { id: 'alice', name: 'alice' };
  await forgetLostKey({ ...local, caller }, lost?.id ?? '');

  const fresh = { ...app, vault: await openStoreVault(local) };
  const shown = await getChannel(fresh, writerIn(first?.id ?? ''), made.channel.id);
  assert.deepEqual([made.channel.destination, shown.destination], ['127.0.0.1:1', null]);

  const entries = await local.store.db
    .selectFrom('audit_entries')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_id')
    .select(['workspaces.name', 'action', 'subject_name', 'fields'])
    .where('actor_id', '=', 'alice')
    .orderBy('workspaces.id')
    .orderBy('number')
    .execute();
  assert.deepEqual(
    entries.map((entry) => Object.values(entry).join(' ').trim()),
    [
      'default job.pause default',
      'default channel.update c config enabled',
      'second job.pause second',
    ],
  );
});
