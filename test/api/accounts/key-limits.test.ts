/**
 * How long a key is valid, how many an account may have, and when each was last used
 * (docs/behavior.md#key-3).
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKey, listKeys, revokeKey } from '../../../src/app/accounts/keys.ts';
import { createWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { addAccount } from '../../support/records/account.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { each } from '../../support/each.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const day = 86_400_000;
const given = { permission: 'write', name: '' } as const;
const oneTooMany = {
  code: 'forbidden',
  message: 'an account may hold 20 active keys, this one holds 20: revoke one first',
};

test('a key is valid until the moment it expires', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  await using local = await openTestLocal(daemon.dataDir, clock);
  const expiresAt = clock.now() + day;
  const made = await createKey(local, { workspace: 'default', ...given, expiresAt });
  const ask = () => daemon.ask('GET', '/jobs', undefined, made.secret);
  assert.equal((await ask()).status, 200);
  clock.set(expiresAt - 1);
  assert.equal((await ask()).status, 200, 'a millisecond before');
  clock.set(expiresAt);
  assertRefused(await ask(), 401, /a valid key is needed/, 'at that moment');
  clock.advance(day);
  assertRefused(await ask(), 401, /a valid key is needed/, 'later');
  for (const past of [clock.now(), clock.now() - 1]) {
    await assert.rejects(createKey(local, { workspace: 'default', ...given, expiresAt: past }), {
      code: 'invalid_input',
      message: /^a key must expire in the future, got 2026-03-04T/,
    });
  }
});

test('an account may have 20 active keys in all its workspaces; revoked and expired ones do not count', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { name } = await addAccount(daemon, clock, 'business');
  await using local = await openTestLocal(daemon.dataDir, clock);
  await createWorkspace(local, { name: 'second', account: name });
  const expiresAt = clock.now() + day;
  const soon = await createKey(local, { workspace: name, ...given, expiresAt });
  const made = [];
  for (let count = 0; count < 18; count += 1) {
    made.push(await createKey(local, { workspace: count % 2 ? 'second' : name, ...given }));
  }
  await assert.rejects(createKey(local, { workspace: name, ...given }), oneTooMany);
  await assert.rejects(createKey(local, { workspace: 'second', ...given }), oneTooMany);
  await createKey(local, { workspace: 'default', ...given });

  await revokeKey(local, made[0]?.key.id ?? '');
  await createKey(local, { workspace: 'second', ...given });
  await assert.rejects(createKey(local, { workspace: 'second', ...given }), oneTooMany);
  clock.set(expiresAt - 1);
  await assert.rejects(createKey(local, { workspace: 'second', ...given }), oneTooMany);
  clock.set(expiresAt);
  await createKey(local, { workspace: 'second', ...given });
  await assert.rejects(createKey(local, { workspace: 'second', ...given }), oneTooMany);
  const shown = (await listKeys(local)).find(({ id }) => id === soon.key.id);
  assert.equal(shown?.expiresAt, expiresAt, 'an expired key is still listed');
});

test('of 50 keys created at once with one place left, exactly one is created', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { name } = await addAccount(daemon, clock, 'pro');
  const processes = await Promise.all([1, 2, 3].map(() => openTestLocal(daemon.dataDir, clock)));
  await using opened = new AsyncDisposableStack();
  for (const local of processes) opened.use(local);
  const [local = assert.fail()] = processes;
  for (let count = 1; count < 19; count += 1) await createKey(local, { workspace: name, ...given });
  const attempts = Array.from({ length: 50 }, (_, index) =>
    createKey(processes[index % 3] ?? local, { workspace: name, ...given }),
  );
  const results = await Promise.allSettled(attempts);
  const failures = results.filter((result) => result.status === 'rejected');
  for (const { reason } of failures) assert.equal(reason.message, oneTooMany.message);
  assert.equal(failures.length, 49);
  const keys = (await listKeys(local)).filter(({ workspace }) => workspace === name);
  assert.equal(keys.length, 20);
});

test('lastUsedAt of a key is accurate to the minute', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { name, key, ask } = await addAccount(daemon, clock, 'pro');
  await using local = await openTestLocal(daemon.dataDir, clock);
  const lastUse = async (): Promise<number | null> => {
    const own = (await listKeys(local)).find(({ workspace }) => workspace === name);
    return own?.lastUsedAt ?? null;
  };
  assert.equal(await lastUse(), null);
  const first = clock.now();
  await ask('GET', '/jobs');
  await until('the first use', async () => (await lastUse()) === first);
  clock.advance(30_000);
  await daemon.ask('GET', '/jobs', undefined, key);
  clock.advance(31_000);
  // `ask` advances the clock by a minute.
  await ask('GET', '/jobs');
  await until('the next use', async () => (await lastUse()) === first + 61_000);
  const others = (await listKeys(local)).filter(({ workspace }) => workspace !== name);
  assert.deepEqual(each(others, 'lastUsedAt'), [null]);
});
