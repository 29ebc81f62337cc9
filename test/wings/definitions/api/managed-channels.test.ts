/** Managed monitors and channels over the API: what definitions change, and what they do not touch. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Channel } from '../../../../src/api/alerts/contract.ts';
import type { ManagedMonitor } from '../../../../src/wings/definitions/api/contract.ts';
import { defineChannel } from '../../../../src/domain/alerts/channel.ts';
import { definedChannel } from '../../../../src/domain/alerts/managed-channel.ts';
import { addAccount } from '../../../support/records/account.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { startTestDaemon } from '../../../support/running/daemon.ts';
import type { TestDaemon } from '../../../support/running/daemon.ts';

type Ask = TestDaemon['ask'];
type Noun = 'job' | 'monitor' | 'channel';

/** Applies one definition. */
async function one(ask: Ask, noun: Noun, definition: object, dryRun = false) {
  const body = { definitions: [definition], dryRun };
  const answer = await ask('POST', `/managed-${noun}s`, body);
  assert.equal(answer.status, 200, answer.body.error);
  const [result] = answer.body.results;
  const { change, changedFields, refusal } = result;
  const words = refusal
    ? `${refusal.status} ${refusal.error}`
    : [change, ...changedFields].join(' ');
  return { ...result, words };
}

const hook = 'http://127.0.0.1:1/hook';
const webhook = { name: 'Ops', type: 'webhook', config: { url: hook } };
const job = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };

test('a definition creates its monitor once, changes it under its key and keeps its ping URL', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const full = { name: 'Nightly', cronExpr: '30 2 * * *', timezone: 'utc', graceSeconds: 60 };
  const planned = await one(ask, 'monitor', { key: 'n', monitor: full }, true);
  assert.deepEqual([planned.words, planned.monitor], ['create', null]);
  const made = await one(ask, 'monitor', { key: 'n', monitor: full });
  assert.equal(made.words, 'create');
  assert.equal((await one(ask, 'monitor', { key: 'n', monitor: full })).words, 'none');
  const bare = await one(ask, 'monitor', { key: 'n', monitor: { name: 'Renamed' } });
  assert.equal(bare.words, 'update name schedule graceSeconds');
  assert.deepEqual(
    [bare.monitor.id, bare.monitor.pingUrl],
    [made.monitor.id, made.monitor.pingUrl],
  );
  assert.equal(bare.monitor.graceSeconds, 300);
  const paused = { key: 'n', monitor: { name: 'Renamed', paused: true } };
  assert.equal((await one(ask, 'monitor', paused)).words, 'update paused');
  const { managedMonitors } = (await ask('GET', '/managed-monitors')).body;
  assert.deepEqual(
    managedMonitors.map(({ key, monitor }: ManagedMonitor) => [key, monitor.name, monitor.paused]),
    [['n', 'Renamed', true]],
  );
  assert.equal((await one(ask, 'monitor', { key: 'n', monitor: null })).words, 'delete');
  assert.equal((await one(ask, 'monitor', { key: 'n', monitor: null })).words, 'none');
  assert.deepEqual((await ask('GET', '/monitors')).body.monitors, []);
});

test('an unchanged monitor keeps its due time, and one made by hand is only adopted by its id', async (t) => {
  const clock = fakeClock('2026-03-02T10:00:00Z');
  const { ask } = await startTestDaemon(t, { clock });
  const period = { name: 'a', scheduleType: 'period', periodSeconds: 3_600 };
  const byHand = (await ask('POST', '/monitors', period)).body.monitor;
  await fetch(byHand.pingUrl);
  const { nextDueAt } = (await ask('GET', `/monitors/${byHand.id}`)).body.monitor;
  clock.set('2026-03-02T10:30:00Z');
  const definition = { key: 'a', monitor: period, adopt: byHand.id };
  const adopted = await one(ask, 'monitor', definition);
  assert.deepEqual(
    [adopted.words, adopted.isAdopted, adopted.monitor.nextDueAt],
    ['none', true, nextDueAt],
  );
  const again = await one(ask, 'monitor', definition);
  assert.deepEqual([again.words, again.isAdopted], ['none', false]);
  const other = await one(ask, 'monitor', { ...definition, key: 'b' });
  assert.match(other.words, /^409 the monitor .* has the key a, it cannot have b too$/);
  const unmanaged = (await ask('POST', '/monitors', { name: 'c' })).body.monitor;
  const all = (await ask('GET', '/managed-monitors?show=all')).body.managedMonitors;
  assert.deepEqual(
    all.map(({ key, monitor }: ManagedMonitor) => [key, monitor.id]),
    [
      [null, unmanaged.id],
      ['a', byHand.id],
    ],
  );
});

test('the config of a channel is compared but never shown; a generated secret is kept', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const made = await one(ask, 'channel', { key: 'ops', channel: webhook });
  assert.equal(made.words, 'create');
  assert.deepEqual(made.configFields, ['secret', 'url']);
  assert.doesNotMatch(JSON.stringify(made), /whsec_|\/hook/);
  assert.equal((await one(ask, 'channel', { key: 'ops', channel: webhook })).words, 'none');
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const own = { ...webhook, name: 'Ops team', config: { url: hook, secret } };
  const planned = await one(ask, 'channel', { key: 'ops', channel: own }, true);
  assert.deepEqual([planned.words, planned.changedConfig], ['update name config', ['secret']]);
  assert.equal(
    (await one(ask, 'channel', { key: 'ops', channel: own })).words,
    'update name config',
  );
  assert.equal((await one(ask, 'channel', { key: 'ops', channel: own })).words, 'none');
  const renamed = (await ask('GET', '/channels')).body.channels;
  assert.deepEqual(
    renamed.map(({ id, name }: Channel) => [id, name]),
    [[made.channel.id, 'Ops team']],
  );
  const slack = { name: 'Ops', type: 'slack', config: { url: hook } };
  assert.match(
    (await one(ask, 'channel', { key: 'ops', channel: slack })).words,
    /^409 type cannot be changed from webhook to slack: give the new channel another key$/,
  );
  const wrong = { ...webhook, config: { url: hook, token: 'x' } };
  assert.match(
    (await one(ask, 'channel', { key: 'b', channel: wrong })).words,
    /^400 config\.token is not a field of a webhook channel/,
  );
});

test('a channel names jobs and monitors by their keys, and a deleted one makes no difference', async (t) => {
  const { ask } = await startTestDaemon(t, { clock: fakeClock() });
  const channel = { ...webhook, jobs: ['backup', 'other'], monitors: ['nightly'] };
  const definition = { key: 'ops', channel };
  assert.equal((await one(ask, 'channel', definition, true)).words, 'create');
  assert.match(
    (await one(ask, 'channel', definition)).words,
    /^400 jobs must be keys of managed jobs, got "backup"$/,
  );
  const backup = (await one(ask, 'job', { key: 'backup', job })).job.id;
  const other = (await one(ask, 'job', { key: 'other', job })).job.id;
  const nightly = (await one(ask, 'monitor', { key: 'nightly', monitor: { name: 'n' } })).monitor
    .id;
  const made = await one(ask, 'channel', definition);
  assert.deepEqual([made.channel.jobIds, made.channel.monitorIds], [[backup, other], [nightly]]);
  const every = { ...channel, monitors: ['*'] };
  const planned = await one(ask, 'channel', { key: 'ops', channel: every }, true);
  assert.equal(planned.words, 'update monitorIds');
  const turned = { ...channel, jobs: ['other', 'backup'] };
  assert.equal((await one(ask, 'channel', { key: 'ops', channel: turned })).words, 'none');
  await one(ask, 'job', { key: 'other', job: null });
  const fewer = { ...channel, jobs: ['backup'] };
  assert.equal((await one(ask, 'channel', { key: 'ops', channel: fewer })).words, 'none');
  assert.equal(
    (await one(ask, 'channel', { key: 'ops', channel: webhook })).words,
    'update jobIds monitorIds',
    'without both it serves all',
  );
});

test('what one workspace manages is unknown to another', async (t) => {
  const clock = fakeClock();
  const daemon = await startTestDaemon(t, { clock });
  const { ask } = await addAccount(daemon, clock, 'pro');
  await one(daemon.ask, 'channel', { key: 'ops', channel: webhook });
  await one(daemon.ask, 'monitor', { key: 'n', monitor: { name: 'n' } });
  assert.equal((await one(ask, 'channel', { key: 'ops', channel: null })).words, 'none');
  assert.equal((await one(ask, 'monitor', { key: 'n', monitor: null })).words, 'none');
  const reaching = { ...webhook, monitors: ['n'] };
  assert.match(
    (await one(ask, 'channel', { key: 'x', channel: reaching })).words,
    /^400 monitors /,
  );
  assert.equal((await daemon.ask('GET', '/managed-channels')).body.managedChannels.length, 1);
});

test('every setting of a channel is decided by its definition', () => {
  const input = { name: 'a', type: 'slack', config: {} } as const;
  const whole = defineChannel(input, { id: 'i', workspaceId: 'w', now: 1 });
  const { id: _, workspaceId: __, type: ___, createdAt: ____, ...settings } = whole;
  assert.deepEqual(definedChannel(input), settings);
});
