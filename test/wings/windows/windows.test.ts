/** Windows as people set them (docs/behavior.md#window-1). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { defineWindow } from '../../../src/wings/windows/rules.ts';
import { assertRefused } from '../../support/checks/answer.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand } from '../../support/running/command.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';
import { until } from '../../support/until.ts';

const hour = 3_600_000;
const once = { name: 'tonight', effect: 'mute', durationSeconds: 7_200 };
const nightly = { ...once, name: 'night', cronExpr: '0 22 * * *', timezone: 'Europe/Paris' };

async function daemonWith(t: TestContext, at = '2026-11-23T12:00:00Z') {
  const { daemon, clock } = await startClockedDaemon(t, at);
  const made = async (input: object) => {
    const { status, body } = await daemon.ask('POST', '/windows', input);
    assert.equal(status, 201, body.error);
    return body.window;
  };
  return { ...daemon, clock, made };
}

test('a window begins, is on until its end, and is over', async (t) => {
  const { ask, clock, made } = await daemonWith(t);
  const window = await made({ ...once, from: '2026-11-23 14:00', timezone: 'Europe/Paris' });
  assert.deepEqual(
    [window.from, window.until, window.durationSeconds],
    ['2026-11-23T13:00:00.000Z', '2026-11-23T15:00:00.000Z', null],
  );
  const states: unknown[] = [];
  for (const ms of [0, hour - 1, 1, 2 * hour - 1, 1]) {
    clock.advance(ms);
    const { body } = await ask('GET', `/windows/${window.id}`);
    const { state, onUntil, nextFrom } = body.window;
    states.push([state, onUntil, nextFrom]);
  }
  const toCome = ['to_come', null, window.from];
  const on = ['on', window.until, null];
  assert.deepEqual(states, [toCome, toCome, on, on, ['over', null, null]]);
});

test('a recurring window begins by the clocks of its zone and lasts in real time; ended early it begins again', async (t) => {
  // In the night to 25 October clocks are set back.
  const { ask, clock, made } = await daemonWith(t, '2026-10-24T20:30:00Z');
  const { id, state, onUntil } = await made({ ...nightly, durationSeconds: 36_000 });
  assert.deepEqual([state, onUntil], ['on', '2026-10-25T06:00:00.000Z']);
  clock.advance(hour);
  const { body: ended } = await ask('POST', `/windows/${id}/end`);
  const next = '2026-10-25T21:00:00.000Z';
  assert.deepEqual([ended.window.state, ended.window.nextFrom], ['to_come', next]);
  assertRefused(await ask('POST', `/windows/${id}/end`), 409, /the window night is not on/);
  clock.set(next);
  const { window } = (await ask('GET', `/windows/${id}`)).body;
  assert.deepEqual([window.state, window.onUntil], ['on', '2026-10-26T07:00:00.000Z']);
  const daily = { cronExpr: '0 22 * * *', durationSeconds: 86_400 };
  assertRefused(
    await ask('PATCH', `/windows/${id}`, daily),
    400,
    /^durationSeconds must be less than 86400, got 86400: the next period begins then$/,
  );
});

test('what is wrong is refused with what to do', async (t) => {
  const { ask, made } = await daemonWith(t);
  const refusals: [object, RegExp][] = [
    [{ durationSeconds: null }, /^until or durationSeconds is needed: when it ends, or how long/],
    [{ until: '2026-11-23T13:00:00Z' }, /^until and durationSeconds exclude each other: leave/],
    [{ cronExpr: '0 1 * * *', from: '2026-11-23T13:00:00Z' }, /^from and cronExpr exclude/],
    [{ cronExpr: '0 1 * * *', until: '2026-11-23T13:00:00Z' }, /^until and cronExpr exclude/],
    [{ cronExpr: '0 1 * * *', durationSeconds: null }, /^durationSeconds is needed with cronExpr/],
    [{ from: 'tonight' }, /^from must be a date and time .* or 2026-12-01 09:00 in its/],
    [{ from: '2026-11-23T08:00:00Z' }, /^until must be later than now, got 2026-11-23T10/],
    [
      { durationSeconds: null, until: '2026-12-01T12:00:00Z' },
      /^until must be at most 7 days after from/,
    ],
    [
      { durationSeconds: null, from: '2026-11-24T12:00:00Z', until: '2026-11-24T12:00:00Z' },
      /^until must be after from/,
    ],
    [{ selector: 'a', jobIds: [] }, /^selector excludes chosen jobs and monitors/],
    [{ selector: 'a b' }, /^selector must be terms such as/],
    [{ jobIds: ['01a1fc58-a505-7000-bebc-059153f75def'] }, /^jobIds must be ids of jobs/],
    [{ timezone: 'Mars/Base' }, /^timezone must be/],
    [{ cronExpr: 'never' }, /^cronExpr must/],
    [{ effect: 'silence' }, /^effect must be one of mute, hold/],
  ];
  for (const [more, words] of refusals) {
    assertRefused(await ask('POST', '/windows', { ...once, ...more }), 400, words);
  }
  const { id } = await made(once);
  assertRefused(await ask('PATCH', `/windows/${id}`, { createdAt: 'x' }), 400, /createdAt/);
  assertRefused(await ask('PATCH', `/windows/${id}`, { until: null }), 400, /^until or durationS/);
  for (let count = 1; count < 100; count++) {
    await made({ ...once, effect: count % 2 === 0 ? 'mute' : 'hold' });
  }
  assertRefused(await ask('POST', '/windows', once), 403, /a workspace may have 100 windows/);
});

test('windows are listed by pages, changed, deleted, and in the trail', async (t) => {
  const { ask, made } = await daemonWith(t);
  const windows = [await made(once), await made(nightly), await made({ ...once, name: 'third' })];
  const first = (await ask('GET', '/windows?limit=2')).body;
  const second = (await ask('GET', `/windows?limit=2&cursor=${first.nextCursor}`)).body;
  const ids = [...first.windows, ...second.windows].map(({ id }: { id: string }) => id);
  assert.deepEqual(ids, windows.map(({ id }) => id).toReversed());
  assert.equal((await ask('GET', '/windows?name=night')).body.windows.length, 1);
  const [{ id }] = windows;
  const { window } = (await ask('GET', `/windows/${id}`)).body;
  const same = await ask('PATCH', `/windows/${id}`, window);
  assert.deepEqual(same.body.window, window);
  await ask('PATCH', `/windows/${id}`, { name: 'other', durationSeconds: 3_600 });
  await ask('POST', `/windows/${id}/end`);
  assert.equal((await ask('DELETE', `/windows/${id}`)).status, 200);
  assert.equal((await ask('GET', `/windows/${id}`)).status, 404);
  const { entries } = (await ask('GET', `/audit?subject=${id}`)).body;
  assert.deepEqual(
    entries.map((one: { action: string; fields: string[] }) => [one.action, one.fields.join()]),
    [
      ['window.delete', ''],
      ['window.end', ''],
      ['window.update', 'name,until'],
      ['window.create', ''],
    ],
  );
});

test('a failure in a window is told when somebody ends it', async (t) => {
  const { ask, clock, made } = await daemonWith(t);
  const receiver = await startSink(t);
  const broken = await startSink(t, (response) => response.writeHead(500).end());
  await ask('POST', '/channels', {
    name: 'ops',
    type: 'webhook',
    config: { url: receiver.url },
  });
  const labels = { client: 'acme' };
  const input = { name: 'shop', url: broken.url, cronExpr: '0 * * * *', labels };
  const { job } = (await ask('POST', '/jobs', input)).body;
  const { id } = await made({ ...once, selector: 'client=acme' });
  clock.advance(hour);
  await until('the failure', async () => {
    return (await ask('GET', `/jobs/${job.id}`)).body.job.status === 'down';
  });
  await until('it to be held back', async () => {
    const { rows } = await ask('GET', '/deliveries').then(({ body }) => ({
      rows: body.deliveries,
    }));
    return rows.length === 0;
  });
  assert.equal(receiver.received.length, 0);
  await ask('POST', `/windows/${id}/end`);
  await until('the alert', () => receiver.received.length === 1);
  assert.match(receiver.received[0]?.body ?? '', /"type":"job.failed"/);
});

test('jobd windows makes, shows, ends and deletes them', async (t) => {
  const daemon = await daemonWith(t);
  await daemon.ask('POST', '/jobs', { name: 'shop', url: 'http://127.0.0.1:1/', paused: true });
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key, TZ: 'Europe/Paris' };
  const windows = async (...args: string[]) => {
    const done = await runCommand(['windows', ...args], env);
    assert.equal(done.exitCode, 0, done.stderr);
    return done;
  };
  const gone = (await daemon.ask('POST', '/monitors', { name: 'gone' })).body.monitor.id;
  const some = ['--job', 'shop', '--monitor', 'gone', '--for', '2h'];
  const first = await windows('create', '--name', 'tonight', '--effect', 'mute', ...some);
  assert.match(first.stdout, /^about\s+1 job, 1 monitor\njobs\s+shop\nmonitors\s+gone$/m);
  await daemon.ask('DELETE', `/monitors/${gone}`);
  const about = ['-l', 'client=acme', '--cron', '0 22 * * tue', '--for', '2h'];
  const made = await windows('create', '--name', 'patch', '--effect', 'mute', ...about);
  assert.match(made.stderr, /time zone: Europe\/Paris/);
  assert.match(made.stdout, /begins at\s+0 22 \* \* tue Europe\/Paris/);
  const { stdout } = await windows('list');
  assert.match(stdout, /^patch\tmute\tclient=acme\tto come\t-\t2026-11-24T21:00:00.000Z\t/m);
  assert.match(stdout, /^tonight\tmute\t1 job, 1 monitor\ton\t2026-11-23T14:00:00.000Z\t-\t/m);
  const ended = (await windows('end', 'tonight')).stdout;
  assert.match(ended, /^jobs\s+shop$/m);
  assert.match(ended, new RegExp(`^monitors\\s+${gone}$`, 'm'), 'what is gone has its id');
  assert.match(ended, /^state\s+ended early\nended early\s+2026-11-23T12\S+\nid\s/m);
  assert.doesNotMatch(ended, /\s-$/m);
  const listed = (await windows('list')).stdout;
  assert.match(listed, /^tonight\t.*\tended early\t2026-11-23T12:00:00.000Z\t-\t/m);
  await windows('update', 'patch', '--no-selector', '--for', '3h', '--yes');
  const { window } = JSON.parse((await windows('get', 'patch', '--json')).stdout);
  assert.deepEqual([window.selector, window.durationSeconds], [null, 10_800]);
  await windows('delete', 'patch', '--yes');
  const call = { name: 'one call', url: 'http://127.0.0.1:1/', runAt: '2026-11-24T12:00:00Z' };
  assert.equal((await daemon.ask('POST', '/jobs', call)).status, 201);
  const hold = ['create', '--effect', 'hold', '--for', '2h', '--job', 'shop'];
  assert.doesNotMatch((await windows(...hold, '--name', 'one')).stderr, /called once/);
  assert.match(
    (await windows(...hold, '--name', 'two', '--job', 'one call')).stderr,
    /^'one call' is called once, which no window holds: jobd jobs pause 'one call'$/m,
  );
  for (const name of ['one', 'two']) await windows('delete', name, '--yes');
  const night = ['create', '--name', 'night', '--effect', 'mute', '--selector', 'client=acme'];
  const said = async (...args: string[]) =>
    (await runCommand(['windows', ...night, ...args], env)).stderr;
  assert.match(await said(), /^jobd: --until or --for is needed: when it ends/);
  assert.match(await said('--cron', '0 1 * * *'), /^jobd: --for is needed with --cron/);
  assert.match(
    await said('--from', '6:00', '--for', '1h'),
    /^jobd: --from must be a date .*, or a time of day such as 06:00, got/,
  );
  assert.match(
    await said('--cron', '0 22 * * *', '--for', '36h'),
    /^jobd: --for must be less than 1d, got 36h: the next period begins then$/m,
  );
  const alone = await windows(...night, '--from', '22:00', '--until', '06:00');
  assert.match(alone.stdout, /^about\s+client=acme, which fits no job or monitor now$/m);
  assert.match(
    alone.stdout,
    /^from\s+2026-11-23T21:00:00.000Z\nuntil\s+2026-11-24T05:00:00.000Z$/m,
  );
  const all = ['windows', 'create', '--name', 'all', '--effect', 'hold', '--for', '2h'];
  const unanswered = await runCommand(all, env);
  assert.equal(unanswered.exitCode, 2, 'nobody can be asked');
  assert.equal(
    unanswered.stderr,
    'jobd: Hold all 2 jobs and 0 monitors? Use --yes to skip this question.\n',
  );
  assert.doesNotMatch((await windows('list')).stdout, /^all\t/m);
  const asked = await runCommand(['windows', 'delete', '--all'], env);
  assert.match(asked.stderr, /^jobd: Delete 2 windows\?/m);
  const monitor = { name: 'm', scheduleType: 'period', periodSeconds: 60 };
  await daemon.ask('POST', '/monitors', { ...monitor, labels: { client: 'acme' } });
  assert.match((await windows('get', 'night')).stdout, /^about\s+client=acme$/m);
});

test('a window that is changed to be about everything asks as a new one does', async (t) => {
  const { url, key, made } = await daemonWith(t);
  await made({ ...nightly, selector: 'client=acme' });
  const windows = async (...args: string[]) =>
    await runCommand(['windows', ...args], { JOBD_URL: url, JOBD_API_KEY: key });
  const update = async (...of: string[]) => {
    const { exitCode, stderr } = await windows('update', 'night', ...of);
    return [exitCode, stderr];
  };
  const all = 'all 0 jobs and 0 monitors? Use --yes to skip this question.\n';
  assert.deepEqual(await update('--no-selector'), [2, `jobd: Mute alerts of ${all}`]);
  assert.deepEqual(await update('--no-selector', '--yes'), [0, '']);
  assert.deepEqual(await update('--for', '3h'), [0, ''], 'it was about everything before');
  assert.deepEqual(await update('--effect', 'hold'), [2, `jobd: Hold ${all}`]);

  await update('--selector', 'client=acme');
  const upsert = async (...of: string[]) => {
    const words = ['create', '--name', 'night', '--for', '2h', '--upsert', '--effect', ...of];
    const { exitCode, stderr } = await windows(...words);
    return [exitCode, stderr];
  };
  assert.deepEqual(await upsert('mute'), [0, ''], 'its labels stay');
  assert.deepEqual(await update('--no-selector', '--yes'), [0, '']);
  assert.deepEqual(await upsert('mute'), [0, ''], 'it was about everything before');
  assert.deepEqual(await upsert('hold'), [2, `jobd: Hold ${all}`]);
});

test('a time of day is the next one, also on days on which clocks are set', () => {
  const input = { name: 'w', effect: 'mute', timezone: 'Europe/Berlin' } as const;
  for (const [now, from, end, period] of [
    // Clocks go forward on 28 March 2027, and back on 31 October.
    ['2027-03-27T11:00Z', '12:30', '13:00', '2027-03-27T11:30:00.000Z 2027-03-27T12:00:00.000Z'],
    ['2027-03-27T11:00Z', '11:30', '12:00', '2027-03-28T09:30:00.000Z 2027-03-28T10:00:00.000Z'],
    ['2027-10-30T10:00Z', '12:30', '12:00', '2027-10-30T10:30:00.000Z 2027-10-31T11:00:00.000Z'],
    ['2027-10-30T10:00Z', '11:30', '12:00', '2027-10-31T10:30:00.000Z 2027-10-31T11:00:00.000Z'],
    // Since yesterday: it ends at the next such time, not at one that has passed.
    [
      '2027-06-02T10:00Z',
      '2027-06-01 09:00',
      '18:00',
      '2027-06-01T07:00:00.000Z 2027-06-02T16:00:00.000Z',
    ],
  ] as const) {
    const window = defineWindow({ ...input, from, until: end }, 'id', Date.parse(now));
    assert.equal(`${window.from} ${window.until}`, period);
  }
});

test('a window that is over can be made again, by its name and by a change', async (t) => {
  const daemon = await daemonWith(t);
  const { clock } = daemon;
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key, TZ: 'Europe/Paris' };
  const windows = async (...args: string[]) => {
    const done = await runCommand(['windows', ...args, '--json'], env);
    assert.equal(done.exitCode, 0, done.stderr);
    return JSON.parse(done.stdout).window;
  };
  const tonight = ['create', '--name', 'tonight', '--effect', 'mute', '--yes'];
  const { id: first } = await windows(...tonight, '--for', '2h');
  clock.advance(24 * hour);
  const again = await windows('update', 'tonight', '--for', '3h');
  assert.deepEqual([again.state, again.until], ['on', '2026-11-24T15:00:00.000Z']);
  clock.advance(24 * hour);
  const { id, state } = await windows(...tonight, '--for', '10h', '--upsert');
  assert.deepEqual([state, id === first], ['on', false]);
  const recurring = await windows(...tonight, '--cron', '0 22 * * *', '--for', '1h', '--upsert');
  assert.deepEqual([recurring.id, recurring.until, recurring.state], [id, null, 'to_come']);
  const single = await windows(...tonight, '--for', '1h', '--upsert');
  assert.deepEqual([single.cronExpr, single.until], [null, '2026-11-25T13:00:00.000Z']);
  const later = await windows('update', 'tonight', '--until', '2026-11-25 20:00');
  assert.equal(later.until, '2026-11-25T19:00:00.000Z');
  const past = { until: '2026-11-25T11:59:59Z', from: '2026-11-25T11:00:00Z' };
  assertRefused(await daemon.ask('PATCH', `/windows/${id}`, past), 400, /^until must be later/);
});

test('a window that is over counts again when it is changed', async (t) => {
  const { ask, clock, made } = await daemonWith(t);
  const { id } = await made({ ...once, jobIds: [], durationSeconds: 60 });
  clock.advance(60_000);
  for (let count = 0; count < 100; count++) await made(once);
  const longer = await ask('PATCH', `/windows/${id}`, { durationSeconds: 60 });
  assertRefused(longer, 403, /a workspace may have 100 windows/);
  assert.equal((await ask('PATCH', `/windows/${id}`, { name: 'other' })).status, 200);
});

test('an explanation says which window mutes the alerts of a job, or did when its run ended', async (t) => {
  const { ask, clock, made } = await daemonWith(t);
  const { body } = await ask('POST', '/jobs', {
    name: 'j',
    url: 'http://127.0.0.1:9',
    runAt: '2026-11-23T13:00:00Z',
    timezone: 'UTC',
  });
  await made({ ...once, jobIds: [body.job.id] });
  await made({ ...once, name: 'other', selector: 'client=acme' });
  const told = async () => {
    const { facts } = (await ask('GET', `/jobs/${body.job.id}/explanation`)).body;
    const alerts = facts.filter((one: { kind: string }) => one.kind === 'alert');
    return alerts
      .map((one: { sentence: string }) => one.sentence)
      .filter((text: string) => text.includes('muted'));
  };
  const window = 'muted until Mon 23 Nov 2026 14:00 +00:00 by the window tonight.';
  assert.deepEqual(await told(), [`Its alerts are ${window}`]);
  clock.advance(hour);
  await until('its run ends', async () => {
    return (await ask('GET', `/jobs/${body.job.id}`)).body.job.status === 'down';
  });
  clock.advance(2 * hour);
  assert.deepEqual(await told(), [`Its alerts were ${window}`]);
});
