/** Checked keys and sessions are cached until somebody changes one, and never beyond their end. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { cancel } from '../../../src/app/accounts/accounts.ts';
import { createAuthenticate } from '../../../src/app/accounts/authenticate.ts';
import { createKey, revokeKey } from '../../../src/app/accounts/keys.ts';
import { signOut } from '../../../src/app/accounts/sessions.ts';
import { checkKey, startSession } from '../../../src/app/accounts/sign-in.ts';
import { msPerDay } from '../../../src/domain/clock.ts';
import { openTestLocal } from '../../support/running/local.ts';
import type { Local } from '../../../src/serve/local-store.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { quietApp } from '../../support/running/app.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

async function setup(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  const clock = fakeClock();
  const open = async (): Promise<Local> => {
    const local = await openTestLocal(dataDir, clock);
    t.after(() => local[Symbol.asyncDispose]());
    return local;
  };
  const [ours, theirs] = [await open(), await open()];
  const questions: string[] = [];
  /** Until when answers are held back. */
  let held: Promise<void> | undefined;
  let answers = 0;
  const after = async (gate: Promise<void>, answer: unknown): Promise<unknown> => {
    const found = await answer;
    answers += 1;
    await gate;
    return found;
  };
  const holdAnswers = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return resolve;
  };
  const db = new Proxy(ours.store.db, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        const answer: unknown = value.apply(target, args);
        if (name !== 'executeQuery') return answer;
        questions.push((args[0] as { sql: string }).sql);
        return held === undefined ? answer : after(held, answer);
      };
    },
  });
  const {
    byKey: authenticate,
    bySession,
    onChanged,
  } = createAuthenticate({ store: { ...ours.store, db }, clock });
  /** Counts the queries of a table. */
  const lookUps = (table = 'keys'): number =>
    questions.filter((sql) => sql.includes(`from "${table}"`)).length;
  const heldAnswers = (): number => answers;
  return {
    clock,
    ours,
    theirs,
    authenticate,
    bySession,
    onChanged,
    lookUps,
    holdAnswers,
    heldAnswers,
  };
}

const input = { workspace: 'default', permission: 'write', name: '' } as const;

test('a key that was just checked is not looked up again', async (t) => {
  const { theirs, authenticate, lookUps } = await setup(t);
  const { secret, key } = await createKey(theirs, input);
  const principals = [await authenticate(secret), await authenticate(secret)];
  assert.deepEqual(
    principals.map((principal) => principal?.actor.id),
    [key.id, key.id],
  );
  assert.equal(lookUps(), 1);
});

test('a change by another process takes effect from the next request', async (t) => {
  const { theirs, authenticate, clock } = await setup(t);
  const [first, second] = [await createKey(theirs, input), await createKey(theirs, input)];
  assert.equal((await authenticate(first.secret))?.accountExpiresAt, null);
  assert.ok(await authenticate(second.secret));
  await revokeKey(theirs, first.key.id);
  assert.equal(await authenticate(first.secret), undefined);
  assert.ok(await authenticate(second.secret));
  await cancel(theirs, 'default');
  assert.equal((await authenticate(second.secret))?.accountExpiresAt, clock.now());
});

test('a key that is revoked while it is looked up is not remembered', async (t) => {
  const { ours, authenticate, onChanged, holdAnswers, heldAnswers, clock } = await setup(t);
  const app = quietApp({ store: ours.store, clock, onChanged });
  const { secret, key } = await createKey(app, input);
  const letGo = holdAnswers();
  const asked = authenticate(secret);
  await until('the answer', () => heldAnswers() === 1);
  await revokeKey(app, key.id);
  letGo();
  assert.equal((await asked)?.actor.id, key.id, 'as it was when it was looked up');
  assert.equal(await authenticate(secret), undefined);
});

test('a cached key still expires', async (t) => {
  const { theirs, authenticate, clock } = await setup(t);
  const expiresAt = clock.now() + 1_000;
  const { secret } = await createKey(theirs, { ...input, expiresAt });
  assert.ok(await authenticate(secret));
  clock.set(expiresAt - 1);
  assert.ok(await authenticate(secret));
  clock.set(expiresAt);
  assert.equal(await authenticate(secret), undefined);
});

test('an unknown key is refused every time', async (t) => {
  const { theirs, authenticate } = await setup(t);
  await createKey(theirs, input);
  for (const secret of ['', 'cp_', `cp_${'0'.repeat(64)}`, `cp_${'0'.repeat(64)}`]) {
    assert.equal(await authenticate(secret), undefined);
  }
});

test('what this process changes itself takes effect from the next request', async (t) => {
  const { ours, authenticate, onChanged, bySession, clock } = await setup(t);
  const app = quietApp({ store: ours.store, clock, onChanged });
  const { secret, key } = await createKey(app, input);
  const sender = { address: null, forwardedFor: null };
  const { secret: cookie } = await startSession(app, await checkKey(app, secret), sender);
  assert.ok(await authenticate(secret));
  const user = (await bySession(cookie)) ?? assert.fail();
  assert.equal(await bySession(secret), undefined);
  assert.equal(await authenticate(cookie), undefined);
  await signOut(app, { ...user, sender });
  assert.equal(await bySession(cookie), undefined);

  const other = await startSession(app, await checkKey(app, secret), sender);
  assert.ok(await bySession(other.secret));
  await revokeKey(app, key.id);
  assert.equal(await authenticate(secret), undefined);
  assert.equal(await bySession(other.secret), undefined);
});

test('a session that was just checked is not looked up again, and still ends', async (t) => {
  const { ours, bySession, clock, lookUps } = await setup(t);
  const app = quietApp({ store: ours.store, clock });
  const { secret } = await createKey(app, input);
  const sender = { address: null, forwardedFor: null };
  const { secret: cookie } = await startSession(app, await checkKey(app, secret), sender);
  assert.ok(await bySession(cookie));
  assert.ok(await bySession(cookie));
  assert.equal(lookUps('sessions'), 1);
  clock.advance(7 * msPerDay - 1);
  assert.ok(await bySession(cookie), 'used since');
  clock.advance(7 * msPerDay);
  assert.equal(await bySession(cookie), undefined);
});
