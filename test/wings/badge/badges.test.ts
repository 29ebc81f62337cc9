/** Badges: who makes them, what they count, and until when they are shown (docs/behavior.md#badge-1). */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { deleteWorkspace } from '../../../src/app/accounts/workspaces.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { addAccount } from '../../support/records/account.ts';
import { runCommand } from '../../support/running/command.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { bearer, send } from '../../support/running/send.ts';

/** How long what a badge says is good. */
const goodMs = 30_000;
const gone = /^there is no badge at this URL$/;

async function daemonWith(t: TestContext) {
  const { daemon, clock } = await startClockedDaemon(t);
  const pathOf = (url: string): string => url.slice(daemon.url.length);
  const make = async (input: object, key?: string) => {
    const { status, body } = await daemon.ask('POST', '/badges', input, key);
    assert.equal(status, 201, body.error);
    return {
      id: String(body.badge.id),
      picture: pathOf(body.pictureUrl),
      state: pathOf(body.stateUrl),
    };
  };
  const read = async (path: string) => (await daemon.askSite('GET', path)).body;
  return { ...daemon, clock, make, read };
}

test('a badge counts the jobs and monitors that its labels fit, and is counted again 30 s later', async (t) => {
  const { ask, make, read, clock, dataDir } = await daemonWith(t);
  const labels = { client: 'acme' };
  await using local = await openTestLocal(dataDir);
  const { db } = local.store;
  const add = async (kind: 'jobs' | 'monitors', health: 'new' | 'up' | 'down', more = {}) => {
    const input = { name: 'a', labels, ...(kind === 'jobs' && { url: 'http://127.0.0.1:1/' }) };
    const { body } = await ask('POST', `/${kind}`, { ...input, ...more });
    const { id } = body.job ?? body.monitor;
    await db.updateTable(kind).set({ health }).where('id', '=', id).execute();
    return id as string;
  };
  const all = await make({ name: 'all' });
  const [acme, nobody] = [
    await make({ name: 'acme', selector: 'client=acme' }),
    await make({ name: 'nobody', selector: 'client=nobody' }),
  ];
  assert.equal((await read(all.state)).message, 'no results');
  const paused = { paused: true };
  for (const kind of ['jobs', 'monitors'] as const) {
    await add(kind, 'up');
    await add(kind, 'new');
    await add(kind, 'down', { labels: { client: 'other' } });
    await add(kind, 'down', paused);
    const deleted = await add(kind, 'down');
    await ask('DELETE', `/${kind}/${deleted}`);
  }
  const down = await add('jobs', 'down');
  assert.equal((await read(acme.state)).message, '1 of 3 down');
  assert.equal((await read(nobody.state)).message, 'no results');
  assert.equal((await read(all.state)).message, 'no results', 'it is good for 30 s');
  clock.pass(goodMs);
  assert.deepEqual(await read(all.state), {
    schemaVersion: 1,
    label: 'all',
    message: '3 of 5 down',
    color: 'red',
    isError: true,
  });
  assert.equal((await read(acme.state)).message, '1 of 3 down');
  await ask('DELETE', `/jobs/${down}`);
  clock.pass(goodMs - 1);
  assert.equal((await read(acme.state)).message, '1 of 3 down');
  clock.pass(1);
  assert.equal((await read(acme.state)).message, 'up');
});

test('a muted job that is down shows, and so does a monitor that missed its ping, but not a late one', async (t) => {
  const { ask, make, read, clock } = await daemonWith(t);
  const every = { scheduleType: 'period', periodSeconds: 60, graceSeconds: 60 };
  const { body } = await ask('POST', '/monitors', { name: 'm', ...every });
  await fetch(body.monitor.pingUrl);
  await ask('POST', '/windows', { name: 'tonight', effect: 'mute', durationSeconds: 3_600 });
  const { state } = await make({ name: 'm' });
  clock.advanceBoth(61_000);
  assert.equal((await ask('GET', `/monitors/${body.monitor.id}`)).body.monitor.status, 'late');
  assert.equal((await read(state)).message, 'up');
  await fetch(`${body.monitor.pingUrl}/fail`);
  clock.pass(goodMs);
  assert.equal((await read(state)).message, 'down');
});

test('what is wrong with a badge is refused, a workspace has 20, and its token is shown once', async (t) => {
  const { ask, make, newKey, clock, dataDir, url, key } = await daemonWith(t);
  const refusals: [object, RegExp][] = [
    [{ name: ' ' }, /^name must not be blank$/],
    [{ name: 'x'.repeat(121) }, /^name must be at most 120 characters, got 121$/],
    [{ name: 'a\u0000' }, /^name must not contain the character U\+0000$/],
    [{ name: 'a', selector: 'Client' }, /^selector must be terms such as client=acme/],
    [{ name: 'a', selector: '' }, /^selector must not be empty$/],
  ];
  for (const [input, words] of refusals)
    assertRefused(await ask('POST', '/badges', input), 400, words);
  const reader = await newKey('read');
  assertRefused(await ask('POST', '/badges', { name: 'a' }, reader), 403, /may only read/);

  const headers = { ...bearer(key), 'idempotency-key': 'once' };
  const once = async (name: string) => {
    const answer = await send(`${url}/api/v1/badges`, 'POST', { name }, headers);
    return { status: answer.status, text: await answer.text() };
  };
  const first = await once('first');
  assert.equal(first.status, 201);
  const [again, other] = [await once('first'), await once('second')];
  assert.deepEqual([again.status, other.status], [409, 409]);
  assert.match(again.text, /this request has made badge .*: delete it, and make another one/);

  for (let count = 1; count < 20; count += 1) await make({ name: 'same' });
  assertRefused(await ask('POST', '/badges', { name: 'a' }), 403, /may have 20 badges: delete one/);
  clock.advanceBoth(61_000);
  const { body } = await ask('GET', '/badges?limit=19');
  const rest = (await ask('GET', `/badges?cursor=${body.nextCursor}`, undefined, reader)).body;
  assert.deepEqual(
    [...body.badges, ...rest.badges].map(({ name }) => name),
    [...Array.from({ length: 19 }, () => 'same'), 'first'],
  );
  const [{ id }] = rest.badges;
  assert.equal((await ask('DELETE', `/badges/${id.toUpperCase()}`)).status, 200);
  assertRefused(await ask('DELETE', `/badges/${id}`), 404, /^there is no badge with id/);
  await make({ name: 'last' });

  const { entries } = (await ask('GET', `/audit?subject=${id}`)).body;
  assert.deepEqual(
    entries.map((entry: { action: string; subject: object }) => [entry.action, entry.subject]),
    [
      ['badge.delete', { id, name: 'first' }],
      ['badge.create', { id, name: 'first' }],
    ],
  );
  const [, token = ''] = /badge\/(cpb_[0-9a-f]{32})\.svg/.exec(first.text) ?? [];
  await using local = await openTestLocal(dataDir);
  const { db } = local.store;
  const tables = ['badges', 'audit_entries', 'made_once'] as const;
  const rows = await Promise.all(tables.map((table) => db.selectFrom(table).selectAll().execute()));
  assert.ok(token !== '' && !JSON.stringify(rows).includes(token.slice(4)));
  const hashes = rows[0]?.map((row) => 'sha256' in row && row.sha256);
  assert.equal(hashes?.length, 20);
  assert.ok(!hashes.includes(createHash('sha256').update(token).digest('hex')), 'it is deleted');
});

test('a badge is gone 30 s after it, its workspace or its account at the latest', async (t) => {
  const { ask, askSite, make, read, clock, dataDir, ...daemon } = await daemonWith(t);
  const accounts = [];
  for (const plan of ['pro', 'business'] as const)
    accounts.push(await addAccount({ ...daemon, ask, askSite, dataDir }, clock, plan, 1));
  const [expiring = assert.fail(), doomed = assert.fail()] = accounts;
  const [own, theirs, others] = [
    await make({ name: 'own' }),
    await make({ name: 'expiring' }, expiring.key),
    await make({ name: 'doomed' }, doomed.key),
  ];
  const badges = [own, theirs, others];
  for (const { state } of badges) assert.equal((await read(state)).message, 'no results');
  assert.equal((await ask('DELETE', `/badges/${own.id}`)).status, 200);
  clock.advance(86_400_001);
  await using local = await openTestLocal(dataDir, clock);
  await deleteWorkspace(local, doomed.name);
  clock.pass(goodMs);
  for (const { state, picture } of badges) {
    assertRefused(await askSite('GET', state), 404, gone, state);
    assertRefused(await askSite('GET', picture), 404, gone, picture);
  }
  await expiring.subscribe(null);
  assert.equal((await read(theirs.state)).label, 'expiring', 'paid again');
});

test('the command creates, lists and deletes badges', async (t) => {
  const { url, key, ask, read } = await daemonWith(t);
  const env = { JOBD_URL: url, JOBD_API_KEY: key };
  const badges = (...args: string[]) => runCommand(['badges', ...args], env);
  const made = await badges('create', '--name', 'acme', '-l', 'client=acme');
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(
    made.stdout,
    /^name\tacme\nabout\tclient=acme\npicture\thttp.*\.svg\nJSON\thttp.*\n/,
  );
  assert.match(made.stderr, /^Keep the addresses: they are not shown again\.$/m);
  assert.match(made.stderr, /^client=acme fits no job or monitor now$/m);
  const [, state = ''] = /JSON\t\S+(\/badge\/\S+\.json)/.exec(made.stdout) ?? [];
  assert.equal((await read(state)).label, 'acme');
  assert.match((await badges('list')).stdout, /^acme\tclient=acme\t[^\t]+\t[0-9a-f-]{36}\n$/);
  const refused = await badges('create', '--name', 'a', '--selector', 'A');
  assert.match(refused.stderr, /--selector must be terms such as/);
  const some = { name: 'm', scheduleType: 'period', periodSeconds: 60, labels: { client: 'b' } };
  assert.equal((await ask('POST', '/monitors', some)).status, 201);
  const fitting = await badges('create', '--name', 'b', '-l', 'client=b');
  const keep = 'Keep the addresses: they are not shown again.\n';
  const onlyHere =
    'They are for this machine: with jobd serve --base-url URL others see them too.\n';
  assert.equal(fitting.stderr, keep + onlyHere);
  await badges('delete', 'b', '--yes');
  assert.match((await badges('delete', 'acne', '--yes')).stderr, /did you mean acme\?/);
  assert.equal((await badges('delete', 'acme')).exitCode, 2, 'nobody can be asked');
  assert.match((await badges('delete', 'acme', '--yes')).stderr, /^deleted acme$/m);
  assert.match((await badges('list')).stderr, /^there are no badges$/m);
});
