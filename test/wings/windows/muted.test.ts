/** Who looks at something that is muted is told (docs/behavior.md#mute-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../support/running/command.ts';
import { startClockedDaemon } from '../../support/running/daemon.ts';

const labels = { client: 'acme' };
const url = 'http://127.0.0.1:1/';

interface Shown {
  name: string;
  mutedUntil?: string;
}

test('whatever shows a job or monitor says until when its alerts are muted, and the overview by what', async (t) => {
  const { clock, ask, url: at, key } = await startClockedDaemon(t, '2026-11-23T12:00:00Z');
  const mute = { effect: 'mute', selector: 'client=acme' };
  const short = await ask('POST', '/windows', { ...mute, name: 'short', durationSeconds: 3_600 });
  await ask('POST', '/windows', { ...mute, name: 'long', durationSeconds: 7_200 });
  const shown: Shown[] = [];
  const read = async (method: string, path: string, body?: object): Promise<string> => {
    const answer = await ask(method, path, body);
    assert.ok(answer.status < 300, answer.body.error);
    const { job, jobs, monitor, monitors } = answer.body;
    const found = [job, monitor, ...(jobs ?? []), ...(monitors ?? [])].filter(Boolean);
    shown.push(...found);
    return found[0]?.id;
  };
  const paused = { url, paused: true };
  const job = await read('POST', '/jobs', { ...paused, name: 'muted job', labels });
  await read('POST', '/jobs', { ...paused, name: 'other job' });
  const monitor = await read('POST', '/monitors', { name: 'muted monitor', labels });
  await read('POST', '/monitors', { name: 'other monitor' });
  await read('PATCH', `/jobs/${job}`, { notes: 'n' });
  await read('POST', `/jobs/${job}/copy`, { name: 'muted copy' });
  await read('PATCH', `/monitors/${monitor}`, { notes: 'n' });
  const lists = ['/jobs', '/monitors', '/overview/jobs', '/overview/monitors'];
  const single = [`/jobs/${job}`, `/monitors/${monitor}`, `/overview/jobs/${job}`];
  const looks = [...lists, ...single];
  for (const path of looks) await read('GET', path);
  const end = '2026-11-23T14:00:00.000Z';
  for (const { name, mutedUntil } of shown) {
    assert.equal(mutedUntil, name.startsWith('muted') ? end : undefined, name);
  }
  assert.equal(shown.length, 20);
  const { body } = await ask('GET', `/jobs/${job}`);
  assert.equal((await ask('PATCH', `/jobs/${job}`, body.job)).status, 200, 'it can be sent back');

  const { overview } = (await ask('GET', '/overview')).body;
  const about = { selector: 'client=acme', jobs: null, monitors: null };
  assert.deepEqual(overview.mutes, [
    { id: short.body.window.id, name: 'short', ...about, until: '2026-11-23T13:00:00.000Z' },
    { id: overview.mutes[1].id, name: 'long', ...about, until: end },
  ]);

  const env = { JOBD_URL: at, JOBD_API_KEY: key, TZ: 'Europe/Paris' };
  const said = async (...args: string[]) => {
    const { stdout, stderr } = await runCommand(args, env);
    return `${stdout}${stderr}`;
  };
  const ends = `\t${end}$`;
  assert.match(await said('jobs', 'list'), new RegExp(`^muted job\t.*\t${end}\t-$`, 'm'));
  assert.match(await said('monitors', 'list'), new RegExp(`^muted monitor\t.*\t${end}\t-$`, 'm'));
  const field = new RegExp(`^mute ends${ends}`, 'm');
  assert.match(await said('jobs', 'get', 'muted job'), field);
  assert.match(await said('monitors', 'get', 'muted monitor'), field);
  const alerts = /alerts of client=acme until (\S+ )?15:00 by the window long$/m;
  assert.match(await said('status'), new RegExp(`^muted\t.*; ${alerts.source}`, 'm'));
  assert.match(await said('trouble'), new RegExp(`^muted: .*; ${alerts.source}`, 'm'));

  const hold = { name: 'patch', effect: 'hold', durationSeconds: 3_600 };
  assert.equal((await ask('POST', '/windows', hold)).status, 201);
  clock.advanceBoth(1_001);
  const jobs = /all jobs until (\S+ )?14:00 by the window patch$/m;
  assert.match(await said('status'), new RegExp(`^held\t${jobs.source}`, 'm'));
  assert.match(await said('trouble'), new RegExp(`^held: ${jobs.source}`, 'm'));
  const held = '2026-11-23T13:00:00.000Z$';
  assert.match(await said('jobs', 'list'), new RegExp(`^other job\t.*\t${held}`, 'm'));
  assert.match(await said('jobs', 'get', 'other job'), new RegExp(`^hold ends\t${held}`, 'm'));
  assert.match(
    await said('monitors', 'get', 'other monitor'),
    new RegExp(`^hold ends\t${held}`, 'm'),
  );
  const ended = await said('windows', 'end', 'patch');
  assert.match(ended, /^ended early\t2026-11-23T12:00:01\.001Z$/m);

  clock.advanceBoth(7_200_000);
  shown.length = 0;
  for (const path of looks) await read('GET', path);
  assert.deepEqual(
    shown.filter(({ mutedUntil }) => mutedUntil !== undefined),
    [],
  );
  assert.deepEqual((await ask('GET', '/overview')).body.overview.mutes, []);
  for (const kind of ['job', 'monitor']) {
    const listed = await said(`${kind}s`, 'list');
    assert.match(listed, new RegExp(`^muted ${kind}\t.*\t-\t-$`, 'm'), 'no column moves in a pipe');
    assert.doesNotMatch(await said(`${kind}s`, 'get', `muted ${kind}`), /ends\t/);
  }
  assert.doesNotMatch(await said('status'), /muted/);
});
