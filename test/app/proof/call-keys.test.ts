/** Call keys: made once, rotated with overlap (docs/behavior.md#identity-6). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import {
  createPublishedCallKeys,
  ensureCallKey,
  listCallKeys,
  publishedCallKeys,
  rotateCallKeys,
} from '../../../src/app/proof/call-keys.ts';
import { callKeyState } from '../../../src/domain/proof/call-key.ts';
import { createCallers } from '../../../src/engine/proof/callers.ts';
import { openLog } from '../../../src/base/log.ts';
import {
  findRetiredCallKey,
  listSigningCallKeys,
  removePrivateCallKey,
} from '../../../src/store/proof/call-keys.ts';
import { listAuditEntries } from '../../../src/store/accounts/audit.ts';
import { openStore } from '../../../src/store/open.ts';
import { each } from '../../support/each.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { testVault as vault } from '../../support/fakes/vault.ts';
import { databaseFor } from '../../support/running/local.ts';
import { openTestStore } from '../../support/running/store.ts';

const minute = 60_000;
const siteUrl = (): string => 'https://jobd.example.com';

async function setup(t: TestContext) {
  const { store, workspaceId, dataDir } = await openTestStore(t);
  const clock = fakeClock();
  const parts = { store, clock, vault };
  const sent: string[][] = [];
  const egress = {
    useCallKeys: (keys: readonly { keyId: string }[]) =>
      void sent.push(keys.map(({ keyId }) => keyId)),
  };
  const callers = createCallers({ ...parts, log: openLog('silent'), egress, siteUrl });
  const run = { workspaceId, jobId: 'j', runId: 'r', dueAt: 0 };
  /** The key that signs a call now, after the last look is over a second old. */
  const signer = async (): Promise<string | undefined> => {
    clock.pass(1_001);
    return (await callers.callerOf({ ...run, request: { sign: 'httpsig', audience: null } }))
      ?.keyId;
  };
  const published = async (): Promise<string[]> =>
    (await publishedCallKeys(parts)).map(({ keyId }) => keyId);
  const ensure = (): Promise<void> => store.write((tx) => ensureCallKey(parts, tx, 'httpsig'));
  return { ...parts, workspaceId, dataDir, parts, signer, published, ensure, sent };
}

test('a rotated key is published before it signs, and the old one after it signed', async (t) => {
  const { parts, clock, store, signer, published, ensure, workspaceId, sent } = await setup(t);
  assert.equal(await signer(), undefined);
  await ensure();
  await ensure();
  const [first = assert.fail(), ...others] = await published();
  assert.deepEqual(others, []);
  assert.equal(await signer(), first);
  const begunAt = clock.now();
  const [next] = await rotateCallKeys(parts, { algorithm: null, isAtOnce: false });
  const second = next?.keyId ?? assert.fail();
  assert.deepEqual(new Set(await published()), new Set([first, second]), 'both at once');
  assert.equal(await signer(), first);
  await assert.rejects(rotateCallKeys(parts, { algorithm: null, isAtOnce: false }), {
    code: 'conflict',
    message: /the last rotation is under way: .* signs from .*; wait until then, or use --now/,
  });
  clock.set(begunAt + 10 * minute - 2_000);
  assert.equal(await signer(), first, 'caches may lack the new key until then');
  clock.set(begunAt + 10 * minute);
  assert.equal(await signer(), second);
  assert.deepEqual(sent.at(-1)?.toSorted(), [first, second].toSorted(), 'the thread has both');

  const retiredBefore = (): number => clock.now() - minute;
  assert.equal(await findRetiredCallKey(store.db, retiredBefore()), undefined, 'not at once');
  clock.set(begunAt + 11 * minute + 1);
  assert.equal(await findRetiredCallKey(store.db, retiredBefore()), first);
  await store.write((tx) => removePrivateCallKey(tx, first));
  assert.deepEqual(each(await listSigningCallKeys(store.db), 'keyId'), [second]);
  assert.deepEqual(new Set(await published()), new Set([first, second]));
  clock.set(begunAt + 10 * minute + 24 * 60 * minute);
  assert.deepEqual(await published(), [second]);
  const states = (await listCallKeys(parts)).map((key) => [
    key.keyId,
    callKeyState(key, clock.now()),
  ]);
  assert.deepEqual(Object.fromEntries(states), { [first]: 'retired', [second]: 'signs' });
  const [entry] = await listAuditEntries(store.db, workspaceId, {
    subjectId: null,
    before: null,
    limit: 10,
  });
  assert.deepEqual(
    [entry?.action, entry?.subject],
    ['callkey.rotate', { id: second, name: 'EdDSA' }],
  );
});

test('a leaked key signs and is published no more, also while another is to follow it', async (t) => {
  const { parts, store, signer, published, ensure } = await setup(t);
  await assert.rejects(rotateCallKeys(parts, { algorithm: null, isAtOnce: true }), {
    code: 'not_found',
    message: /^there is no call key: one is made when a job with sign is kept$/,
  });
  await ensure();
  await rotateCallKeys(parts, { algorithm: null, isAtOnce: false });
  const leaked = await published();
  assert.equal(leaked.length, 2);
  const [made = assert.fail()] = await rotateCallKeys(parts, {
    algorithm: 'EdDSA',
    isAtOnce: true,
  });
  assert.ok(!leaked.includes(made.keyId));
  assert.deepEqual(await published(), [made.keyId]);
  assert.equal(await signer(), made.keyId);
  const kept = await listSigningCallKeys(store.db);
  assert.deepEqual(each(kept, 'keyId'), [made.keyId]);
});

test('a leaked key is not published again when the clock is set back', async (t) => {
  const { parts, clock, ensure, published, signer } = await setup(t);
  await ensure();
  const [leaked] = await published();
  clock.advance(minute);
  const [next] = await rotateCallKeys(parts, { algorithm: null, isAtOnce: true });
  assert.deepEqual(await published(), [next?.keyId]);
  clock.advance(-minute / 2);
  assert.deepEqual(await published(), [next?.keyId]);
  assert.equal(await signer(), next?.keyId);
  const keys = await listCallKeys(parts);
  const key = keys.find(({ keyId }) => keyId === leaked) ?? assert.fail();
  assert.equal(callKeyState(key, clock.now()), 'retired');
});

test('two processes that need a key at once make one, and sign with the same', async (t) => {
  const { parts, dataDir, signer, published } = await setup(t);
  const other = await openStore((await databaseFor(dataDir)) ?? dataDir);
  t.after(() => other[Symbol.asyncDispose]());
  await Promise.all(
    [parts.store, other, parts.store, other].map((store) =>
      store.write((tx) => ensureCallKey(parts, tx, 'httpsig')),
    ),
  );
  const keys = await published();
  assert.equal(keys.length, 1);
  const signers = [await signer()];
  const egress = { useCallKeys: () => {} };
  const callers = createCallers({
    ...parts,
    store: other,
    log: openLog('silent'),
    egress,
    siteUrl,
  });
  const request = { sign: 'httpsig', audience: null } as const;
  const who = { workspaceId: 'w', jobId: 'j', runId: 'r', dueAt: 0, request };
  signers.push((await callers.callerOf(who))?.keyId);
  assert.deepEqual(signers, [keys[0], keys[0]]);
});

test('the published keys are read ten times a second at most, and a rotation elsewhere is seen after it', async (t) => {
  const { parts, clock, store, ensure } = await setup(t);
  await ensure();
  let reads = 0;
  const counted = new Proxy(store, {
    get(of, name) {
      if (name === 'db') reads += 1;
      return Reflect.get(of, name) as unknown;
    },
  });
  const find = createPublishedCallKeys({ store: counted, clock });
  const answers = await Promise.all(Array.from({ length: 500 }, () => find()));
  assert.equal(new Set(answers).size, 1, 'the same list');
  assert.equal(reads, 1);
  // As a command or another node does it.
  await rotateCallKeys(parts, { algorithm: null, isAtOnce: true });
  assert.equal((await find()).length, 1);
  const before = await find();
  clock.pass(100);
  const after = await find();
  assert.notEqual(after[0]?.keyId, before[0]?.keyId);
  assert.equal(reads, 2);
});

test('while the keys cannot be read, those who ask share one refusal', async (t) => {
  const { clock, store, ensure } = await setup(t);
  await ensure();
  let reads = 0;
  let isAway = true;
  const away = new Proxy(store, {
    get(of, name) {
      if (name !== 'db') return Reflect.get(of, name) as unknown;
      reads += 1;
      if (isAway) throw new Error('away');
      return of.db;
    },
  });
  const find = createPublishedCallKeys({ store: away, clock });
  for (let count = 0; count < 100; count += 1) await assert.rejects(find(), /away/);
  assert.equal(reads, 1);
  isAway = false;
  clock.pass(100);
  assert.equal((await find()).length, 1);
});
