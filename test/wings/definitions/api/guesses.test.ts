/** Hidden values are compared, but cannot be found by trying (docs/behavior.md#limit-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuessLimit } from '../../../../src/api/http/limits/guess-limit.ts';
import { fakeClock } from '../../../support/fakes/clock.ts';
import { startTestDaemon } from '../../../support/running/daemon.ts';
import type { TestDaemon } from '../../../support/running/daemon.ts';
import { addWorkspace } from '../../../support/records/workspace.ts';

const rare = { name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
const onResult = 'http://127.0.0.1:1/results';
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const hook = { name: 'a', type: 'webhook', config: { url: 'https://hooks.example.com/a', secret } };

interface Result {
  change: string | null;
  refusal: { status: number; error: string } | null;
}

async function send(
  ask: TestDaemon['ask'],
  path: string,
  request: { definitions: object[]; dryRun?: boolean },
  key?: string,
): Promise<Result[]> {
  const { status, body } = await ask('POST', path, request, key);
  assert.equal(status, 200, body.error);
  return body.results;
}

test('a guess that was tried costs the next ones, right ones too, for jobs, channels, and applying', async (t) => {
  const clock = fakeClock();
  const daemon = await startTestDaemon(t, { clock });
  const { ask, dataDir } = daemon;
  const header = (value: string) => ({ ...rare, headers: { 'X-Pin': value } });
  const { id: adopt } = (await ask('POST', '/jobs', header('9999'))).body.job;
  const rows: [path: string, right: object][] = [
    ['/managed-jobs', { key: 'job', job: header('1234') }],
    ['/managed-jobs', { key: 'result', job: { ...rare, onResult, onResultSecret: secret } }],
    ['/managed-channels', { key: 'hook', channel: hook }],
  ];
  for (const [path, right] of rows) await send(ask, path, { definitions: [right] });
  const isRight = async (path: string, right: object, dryRun: boolean): Promise<boolean> => {
    const [result] = await send(ask, path, { definitions: [right], dryRun });
    if (result?.refusal) assert.match(result.refusal.error, /may compare 2000 different values/);
    assert.equal(result?.refusal?.status ?? 429, 429);
    return result?.change === 'none';
  };
  for (const [path, right] of rows) assert.ok(await isRight(path, right, true));

  const statuses: Record<string, number> = {};
  // Sent by another key, whose requests are its own; all of one workspace share what they may guess.
  const other = await daemon.newKey('write');
  for (let first = 0; first < 2_100; first += 100) {
    const definitions = Array.from({ length: 100 }, (_, index) => ({
      key: `g${index}`,
      adopt,
      job: header(`${first + index}`),
    }));
    for (const { refusal } of await send(
      ask,
      '/managed-jobs',
      { definitions, dryRun: true },
      other,
    )) {
      const status = refusal?.status ?? 200;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  assert.deepEqual(statuses, { 200: 2_000, 429: 100 });
  for (const dryRun of [true, false]) {
    for (const [path, right] of rows) assert.ok(!(await isRight(path, right, dryRun)), path);
  }

  const neighbour = await addWorkspace(dataDir);
  const key = await neighbour.newKey('write');
  const definitions = [{ key: 'job', job: header('1234') }];
  await send(ask, '/managed-jobs', { definitions }, key);
  const [own] = await send(ask, '/managed-jobs', { definitions, dryRun: true }, key);
  assert.equal(own?.change, 'none', 'another workspace');
  clock.advanceBoth(3_600_000);
  for (const [path, right] of rows) assert.ok(await isRight(path, right, true), 'an hour later');
});

const guess = (given: string) => [{ kept: 'right', given }];

test('beyond the limit nothing is said of any value, until the window is over', () => {
  const limit = createGuessLimit({ most: 2, windowMs: 1_000, workspaces: 10 });
  assert.ok(limit.admits('w', guess('a'), 0));
  assert.ok(limit.admits('w', guess('a'), 1), 'the same one again');
  assert.ok(limit.admits('w', guess('right'), 2));
  assert.ok(limit.admits('w', guess('b'), 3));
  assert.ok(!limit.admits('w', guess('a'), 4), 'what was tried before');
  assert.ok(!limit.admits('w', guess('right'), 5), 'and what is right');
  assert.ok(limit.admits('w', [], 6), 'what compares nothing hidden');
  assert.ok(limit.admits('other', guess('c'), 7));
  assert.ok(limit.admits('w', guess('right'), 1_000));
});
