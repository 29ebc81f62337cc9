/** Hints over LISTEN and NOTIFY: who hears them, how often they are sent, and how the connection that listens comes back. */

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Notification } from 'pg';
import { anyHint, type Hint } from '../../../src/domain/hints.ts';
import { openStore } from '../../../src/store/open.ts';
import type { Hearing } from '../../../src/store/database/hints.ts';
import type { Store } from '../../../src/store/database/store.ts';
import {
  connectTo,
  makeDatabase,
  makeEmptyDatabase,
  onServer,
} from '../../support/postgres/database.ts';
import { channelOf, endListeners, listenersOf } from '../../support/postgres/listeners.ts';
import { noPgbouncer, startPgbouncer } from '../../support/postgres/pgbouncer.ts';
import { startProxy } from '../../support/postgres/proxy.ts';
import { postgresOfFile, startPostgres } from '../../support/postgres/server.ts';
import { until } from '../../support/until.ts';

// Its roles are those of the whole server.
const { skip, newDatabase, started } = postgresOfFile({});
interface Node {
  store: Store;
  hearing: Hearing;
  heard: Hint[];
  /** The changed jobs that were heard, in all workspaces. */
  readonly jobs: () => string[];
}

/** Opens the store as a process that serves it with others. Resolves once it listens. */
async function openNode(t: TestContext, url: string): Promise<Node> {
  const parts = new AsyncDisposableStack();
  t.after(() => parts.disposeAsync());
  const store = parts.use(await openStore(url));
  const heard: Hint[] = [];
  const hearing = parts.use(store.hints.listen((hint) => void heard.push(hint)));
  hearing.noteOthers(true);
  await untilListening(heard, 1);
  const jobs = () =>
    heard.flatMap(({ changes }) => changes ?? []).flatMap(([, changed]) => changed?.jobs ?? []);
  return { store, hearing, heard, jobs };
}

/** Whoever begins to listen may have missed anything. */
async function untilListening(heard: readonly Hint[], times: number): Promise<void> {
  await until('a connection that listens', () => heard.filter(isAny).length >= times);
}

/** A hint of its own has a second to come back, which is little on a busy machine. */
async function untilHeard(hearing: Pick<Hearing, 'check'>): Promise<void> {
  await until('hints that arrive', async () => (await hearing.check()) === null);
}

function isAny({ changes }: Hint): boolean {
  return changes === null;
}

// They mostly wait.
describe('hints', { concurrency: 3, skip }, () => {
  test('the others hear what one tells, and it does not hear itself', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    one.store.hints.tell({ wakes: ['claim'], changes: [['w', { jobs: ['j'] }]] });
    await until('the hint', () => other.jobs().includes('j'));
    assert.deepEqual(other.heard.at(-1)?.wakes, ['claim']);
    other.store.hints.tell({ changes: [['w', { jobs: ['i'] }]] });
    await until('the other hint', () => one.jobs().includes('i'));
    assert.deepEqual([one.jobs(), other.jobs()], [['i'], ['j']]);
    await untilHeard(one.hearing);
  });

  test('whoever is alone tells nothing, and a command always does', async (t) => {
    const url = await newDatabase();
    const node = await openNode(t, url);
    const alone = await openNode(t, url);
    alone.hearing.noteOthers(false);
    assert.equal(alone.store.hints.isHeard, false);
    alone.store.hints.tell({ changes: [['w', { jobs: ['unheard'] }]] });
    {
      await using command = await openStore(url);
      assert.equal(command.hints.isHeard, true);
      command.hints.tell({ changes: [['w', { jobs: ['last word'] }]] });
    }
    await until('the hint of the command', () => node.jobs().length > 0);
    assert.deepEqual(node.jobs(), ['last word']);
  });

  test('a storm of changes is told ten times a second', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    const began = performance.now();
    const before = other.heard.length;
    // Until it is told three times, while it continues.
    for (let index = 0; other.heard.length < before + 3; index += 1) {
      one.store.hints.tell({ wakes: ['claim'], changes: [['w', { jobs: [`job ${index}`] }]] });
      await setTimeout(1);
    }
    one.store.hints.tell({ changes: [['w', { jobs: ['last'] }]] });
    await until('the last hint', () => other.jobs().includes('last'));
    const told = other.heard.length - before;
    const most = Math.ceil((performance.now() - began) / 100) + 1;
    assert.ok(told <= most, `${told} hints, of at most ${most}`);
  });

  test('a hint that names too much still arrives', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    const ids = Array.from({ length: 150 }, () => crypto.randomUUID());
    one.store.hints.tell({ changes: [['w', { jobs: ids }]] });
    one.store.hints.tell({ changes: [['v', { jobs: ids.slice(0, 100) }]] });
    one.store.hints.tell({ changes: [['u', { jobs: ['j'] }]] });
    await until('the hint', () => other.jobs().includes('j'));
    const told = new Map(other.heard.flatMap(({ changes }) => changes ?? []));
    assert.equal(told.get('w'), null);
    assert.equal(told.get('v')?.jobs?.length, 100);
  });

  test('a connection that is ended comes back, and one that is left over is closed', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    assert.equal((await listenersOf(url)).length, 2);
    await endListeners(url);
    for (const { heard } of [one, other]) await untilListening(heard, 2);
    one.store.hints.tell({ changes: [['w', { jobs: ['after'] }]] });
    await until('a hint', () => other.jobs().includes('after'));
    assert.equal((await listenersOf(url)).length, 2);
    await other.hearing[Symbol.asyncDispose]();
    await until('one listener', async () => (await listenersOf(url)).length === 1);
    await one.hearing[Symbol.asyncDispose]();
    await until('no listener', async () => (await listenersOf(url)).length === 0);
  });

  test('a server that restarts is listened to again', async (t) => {
    await using own = await startPostgres();
    const url = await makeDatabase(own.url);
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    await own.stop('fast');
    assert.notEqual(await one.hearing.check(), null);
    await own.start();
    for (const { heard } of [one, other]) await untilListening(heard, 2);
    one.store.hints.tell({ changes: [['w', { jobs: ['after'] }]] });
    await until('a hint', () => other.jobs().includes('after'));
    await untilHeard(one.hearing);
    for (const node of [one, other]) {
      await node.hearing[Symbol.asyncDispose]();
      await node.store[Symbol.asyncDispose]();
    }
  });

  test('a listener whose server is silent is noticed, and connects again', async (t) => {
    const url = await newDatabase();
    const { port } = await started();
    const proxy = await startProxy(t, port);
    const node = await openNode(t, proxy.urlOf(url));
    await untilHeard(node.hearing);
    // Nothing says that the connection is of no use.
    const channel = await channelOf(url);
    proxy.rewrite = (answer) => (answer.includes(`${channel}\0`) ? Buffer.alloc(0) : answer);
    assert.match((await node.hearing.check()) ?? '', /do not arrive/);
    proxy.rewrite = (answer) => answer;
    await untilListening(node.heard, 2);
    await untilHeard(node.hearing);
  });

  test('a stop does not wait for a server that cannot be reached', async (t) => {
    const url = await newDatabase();
    const { port } = await started();
    const proxy = await startProxy(t, port);
    const node = await openNode(t, proxy.urlOf(url));
    proxy.isFrozen = true;
    let isOver = false;
    void node.hearing[Symbol.asyncDispose]().then(() => (isOver = true));
    await until('its end', () => isOver);
  });

  test(
    'through PgBouncer in transaction mode nothing is heard, which is noticed, and what is told arrives elsewhere',
    { skip: noPgbouncer },
    async (t) => {
      const url = await newDatabase();
      const [pooled, direct] = [
        await openNode(t, await startPgbouncer(t, url)),
        await openNode(t, url),
      ];
      assert.match((await pooled.hearing.check()) ?? '', /do not arrive/);
      pooled.store.hints.tell({ changes: [['w', { jobs: ['j'] }]] });
      await until('the hint', () => direct.jobs().includes('j'));
      await untilHeard(direct.hearing);
    },
  );

  test('a role that may only connect is not heard, and hears nothing', async (t) => {
    const url = await newDatabase();
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    await onServer(url, 'create role stranger login');
    const stranger = await connectTo(Object.assign(new URL(url), { username: 'stranger' }).href);
    t.after(() => stranger.end());
    const overheard: Notification[] = [];
    stranger.on('notification', (notification) => void overheard.push(notification));
    const forged = { wakes: ['claim'], changes: [['w', { jobs: ['forged'] }]], ended: [] };
    const guesses = ['jobd', 'jobd_', 'hint_channel', `jobd_${'0'.repeat(32)}`];
    for (const guess of guesses) {
      await stranger.query(`listen ${guess}`);
      await stranger.query('select pg_notify($1, $2)', [guess, `a 1 ${JSON.stringify(forged)}`]);
    }
    const others = await stranger.query(
      'select distinct query from pg_stat_activity where datname = current_database() and usename <> current_user',
    );
    assert.deepEqual(others.rows, [{ query: '<insufficient privilege>' }]);
    const { rows } = await stranger.query<{ pid: number }>('select pg_backend_pid() as pid');
    await assert.rejects(stranger.query('select name from jobd.hint_channel'), { code: '42501' });

    one.store.hints.tell({ changes: [['w', { jobs: ['told'] }]] });
    await until('the hint', () => other.jobs().includes('told'));
    await stranger.query('select');
    assert.deepEqual([one.jobs(), other.jobs()], [[], ['told']]);
    assert.deepEqual(
      overheard.map(({ processId, channel }) => [processId, channel]),
      guesses.map((guess) => [rows[0]?.pid, guess]),
      'its own alone',
    );
  });

  test('databases have different channels, and one that is changed is found', async (t) => {
    const { url: base } = await started();
    const urls = [await makeEmptyDatabase(base), await makeEmptyDatabase(base)];
    const channels: string[] = [];
    for (const url of urls) {
      await (await openStore(url))[Symbol.asyncDispose]();
      channels.push(await channelOf(url));
    }
    assert.equal(new Set(channels).size, 2);
    for (const channel of channels) assert.match(channel, /^jobd_[0-9a-f]{32}$/);

    const [url = ''] = urls;
    const [one, other] = [await openNode(t, url), await openNode(t, url)];
    await onServer(url, `update hint_channel set name = 'jobd_changed'`);
    for (const { hearing, heard } of [one, other]) {
      assert.match((await hearing.check()) ?? '', /do not arrive/);
      await untilListening(heard, 2);
    }
    one.store.hints.tell({ changes: [['w', { jobs: ['after'] }]] });
    await until('a hint', () => other.jobs().includes('after'));
    await untilHeard(one.hearing);
  });

  test('a flood of hints is heard ten times a second', async (t) => {
    const url = await newDatabase();
    const node = await openNode(t, url);
    const before = node.heard.length;
    const began = performance.now();
    await onServer(
      url,
      `select pg_notify(name, 'a ' || number || ' {"wakes":["claim"],"changes":[["w",{"jobs":["' || number || '"],"runs":[],"monitors":[],"channels":[]}]],"ended":[]}')
        from hint_channel, generate_series(1, 150) as number`,
    );
    await until('all', () => node.jobs().length >= 150);
    const most = Math.ceil((performance.now() - began) / 100) + 1;
    assert.ok(node.heard.length - before <= most, `${node.heard.length} hints, of at most ${most}`);
  });

  test('who begins to listen may have missed anything', async (t) => {
    const { heard } = await openNode(t, await newDatabase());
    assert.deepEqual(heard, [anyHint]);
  });
});
