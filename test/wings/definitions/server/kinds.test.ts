/** Definitions of monitors and channels over the API, and lists of them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineChannel } from '../../../../src/domain/alerts/channel.ts';
import { definedChannel } from '../../../../src/domain/alerts/managed-channel.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { addAccount } from '../../../support/records/account.ts';
import {
  startClockedDaemon,
  startTestDaemon,
  type TestDaemon,
} from '../../../support/running/daemon.ts';
import { sendDefinitions, wordsOf } from '../../../support/running/definition-files.ts';

type Ask = TestDaemon['ask'];

const url = 'http://127.0.0.1:1/hook';
const webhook = { key: 'ops', name: 'Ops', type: 'webhook', config: { url } };
const rare = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };

/** Sends definitions; the words are what came of the last one. */
async function send(ask: Ask, body: object) {
  const change = (await sendDefinitions(ask, body)).at(-1) ?? assert.fail();
  return { ...change, words: change.refusal?.error ?? wordsOf(change) };
}

const monitor = (ask: Ask, definition: object, more: object = {}) =>
  send(ask, { monitors: [definition], ...more });
const channel = (ask: Ask, definition: object, more: object = {}) =>
  send(ask, { channels: [definition], ...more });

test('a definition creates its monitor once, changes it under its key and keeps its ping URL', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const full = { key: 'n', name: 'Nightly', cronExpr: '30 2 * * *', timezone: 'utc' };
  const made = await monitor(ask, { ...full, graceSeconds: 60 });
  assert.equal(made.words, 'create');
  const shown = async () => (await ask('GET', `/monitors/${made.id}`)).body.monitor;
  const { pingUrl } = await shown();
  assert.equal((await monitor(ask, { ...full, graceSeconds: 60 })).words, 'unchanged');
  const bare = await monitor(ask, { key: 'n', name: 'Renamed' });
  assert.equal(bare.words, 'update name schedule graceSeconds');
  assert.equal(bare.before?.['graceSeconds'], 60);
  const { graceSeconds, pingUrl: kept } = await shown();
  assert.deepEqual([bare.id, graceSeconds, kept], [made.id, 300, pingUrl]);
  const paused = { key: 'n', name: 'Renamed', paused: true };
  assert.equal((await monitor(ask, paused)).words, 'update paused');
  const { definitions } = (await ask('GET', '/definitions?kind=monitor')).body;
  const definition = { name: 'Renamed', paused: true, cronExpr: '0 * * * *' };
  assert.deepEqual(definitions, [{ kind: 'monitor', key: 'n', id: made.id, definition }]);
  assert.equal((await send(ask, { prune: true })).words, 'delete');
  assert.deepEqual((await ask('GET', '/monitors')).body.monitors, []);
});

test('an unchanged monitor keeps its due time, and one made by hand is only adopted by its id', async (t) => {
  const { clock, ask } = await startClockedDaemon(t, '2026-03-02T10:00:00Z');
  const period = { name: 'a', scheduleType: 'period', periodSeconds: 3_600 };
  const byHand = (await ask('POST', '/monitors', period)).body.monitor;
  await fetch(byHand.pingUrl);
  const dueAt = async () => (await ask('GET', `/monitors/${byHand.id}`)).body.monitor.nextDueAt;
  const before = await dueAt();
  clock.set('2026-03-02T10:30:00Z');
  const definition = { key: 'a', ...period, adopt: byHand.id };
  const adopted = await monitor(ask, definition);
  assert.deepEqual([adopted.words, adopted.id, await dueAt()], ['adopt key', byHand.id, before]);
  assert.equal((await monitor(ask, definition)).words, 'unchanged');
  const other = await monitor(ask, { ...definition, key: 'b' });
  assert.match(other.words, /^the monitor .* has the key a, it cannot have b too$/);
});

test('the config of a channel is compared but never shown; a generated secret is kept', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const made = await channel(ask, webhook);
  assert.equal(made.words, 'create');
  const { definitions } = (await ask('GET', '/definitions?kind=channel')).body;
  assert.deepEqual(definitions[0].definition.config, { secret: null, url: null });
  assert.doesNotMatch(JSON.stringify([made, definitions]), /whsec_|\/hook/);
  assert.equal((await channel(ask, webhook)).words, 'unchanged');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const own = { ...webhook, name: 'Ops team', config: { url, secret } };
  const planned = await channel(ask, own, { dryRun: true });
  assert.deepEqual([planned.words, planned.hidden], ['update name config', ['secret']]);
  assert.equal((await channel(ask, own)).words, 'update name config');
  assert.equal((await channel(ask, own)).words, 'unchanged');
  const { channels } = (await ask('GET', '/channels')).body;
  assert.deepEqual([channels[0].id, channels[0].name], [made.id, 'Ops team']);
  const slack = { key: 'ops', name: 'Ops', type: 'slack', config: { url } };
  assert.equal(
    (await channel(ask, slack)).words,
    'type cannot be changed from webhook to slack: give the new channel another key',
  );
  const wrong = { ...webhook, key: 'b', config: { url, token: 'x' } };
  assert.match((await channel(ask, wrong)).words, /^config\.token is not a field of a webhook/);
});

test('a channel names jobs and monitors by their keys, and a deleted one makes no difference', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const named = { ...webhook, jobs: ['backup', 'other'], monitors: ['nightly'] };
  const unknown = await channel(ask, named);
  assert.equal(unknown.words, 'jobs names backup, which is not defined, define it under jobs:');
  const jobs = ['backup', 'other'].map((key) => ({ key, ...rare }));
  const monitors = [{ key: 'nightly', name: 'n' }];
  const made = await send(ask, { jobs, monitors, channels: [named] });
  const ids = (await ask('GET', `/channels/${made.id}`)).body.channel;
  assert.deepEqual([ids.jobIds.length, ids.monitorIds.length], [2, 1], 'made in one request');
  const near = await channel(ask, { ...named, jobs: ['back-up'] });
  assert.match(near.words, /^jobs names back-up, .* did you mean backup\?$/);
  const every = await channel(ask, { ...named, monitors: ['*'] }, { dryRun: true });
  assert.equal(every.words, 'update monitors');
  assert.deepEqual(every.before, { jobs: ['backup', 'other'], monitors: ['nightly'] });
  const turned = { ...named, jobs: ['other', 'backup'] };
  assert.equal((await channel(ask, turned)).words, 'unchanged');
  await ask('DELETE', `/jobs/${ids.jobIds[1]}`);
  assert.equal((await channel(ask, { ...named, jobs: ['backup'] })).words, 'unchanged');
  const all = await channel(ask, webhook);
  assert.equal(all.words, 'update jobs monitors', 'without both it serves all');
});

test('what one workspace manages is unknown to another', async (t) => {
  const { daemon, clock } = await startClockedDaemon(t);
  const { ask } = await addAccount(daemon, clock, 'pro');
  await send(daemon.ask, { channels: [webhook], monitors: [{ key: 'n', name: 'n' }] });
  const reaching = { ...webhook, key: 'x', monitors: ['n'] };
  assert.match((await channel(ask, reaching)).words, /^monitors names n, which is not defined/);
  assert.equal((await channel(ask, webhook, { prune: true })).words, 'create');
  for (const kind of ['channel', 'monitor']) {
    const { definitions } = (await daemon.ask('GET', `/definitions?kind=${kind}`)).body;
    assert.equal(definitions.length, 1, kind);
  }
});

test('definitions are listed in pages', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const { id } = (await ask('POST', '/jobs', rare)).body.job;
  const keys = Array.from({ length: 5 }, (_, index) => `k${index}`);
  for (const key of keys) await send(ask, { jobs: [{ key, ...rare }] });
  const seen: string[] = [];
  let cursor: string | null = '';
  for (let page = 0; page < 5 && cursor !== null; page += 1) {
    const query: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { body } = await ask('GET', `/definitions?kind=job&limit=2${query}`);
    seen.push(...body.definitions.map(({ key }: { key: string }) => key));
    cursor = body.nextCursor;
  }
  assert.deepEqual(seen, keys.toReversed());
  const all = (await ask('GET', '/definitions?kind=job&show=all')).body.definitions;
  assert.deepEqual(all.at(-1), { kind: 'job', key: null, id, definition: rare });
});

test('every setting of a channel is decided by its definition', () => {
  const input = { name: 'a', type: 'slack', config: {} } as const;
  const whole = defineChannel(input, { id: 'i', workspaceId: 'w', now: 1 });
  const { id: _, workspaceId: __, type: ___, createdAt: ____, ...settings } = whole;
  assert.deepEqual(definedChannel(input), settings);
});
