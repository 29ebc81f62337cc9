/** Hidden values are compared, but cannot be found by trying (docs/behavior.md#limit-4). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createGuessLimit } from '../../../../src/api/http/limits/guess-limit.ts';
import { startClockedDaemon } from '../../../support/running/daemon.ts';
import { sendDefinitions } from '../../../support/running/definition-files.ts';
import { addWorkspace } from '../../../support/records/workspace.ts';

const rare = { key: 'a', name: 'a', url: 'http://127.0.0.1:1/', cronExpr: '0 0 1 1 *' };
const onResult = 'http://127.0.0.1:1/results';
const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const hook = { name: 'a', type: 'webhook', config: { url: 'https://hooks.example.com/a', secret } };

test('a guess that was tried costs the next ones, right ones too, for jobs, channels, and applying', async (t) => {
  const { daemon, clock, ask, dataDir } = await startClockedDaemon(t);
  const header = (value: string) => ({ ...rare, headers: { 'X-Pin': value } });
  const guessed = Array.from({ length: 100 }, (_, index) => `g${index}`);
  await sendDefinitions(ask, { jobs: guessed.map((key) => ({ ...header('9999'), key })) });
  const rows = [
    { jobs: [{ ...header('1234'), key: 'job' }] },
    { jobs: [{ ...rare, key: 'result', onResult, onResultSecret: secret }] },
    { channels: [{ ...hook, key: 'hook' }] },
  ];
  for (const right of rows) await sendDefinitions(ask, right);
  const isRight = async (right: object, dryRun: boolean): Promise<boolean> => {
    const [change] = await sendDefinitions(ask, { ...right, dryRun });
    if (change?.refusal) assert.match(change.refusal.error, /may compare 2000 different values/);
    assert.equal(change?.refusal?.status ?? 429, 429);
    return change?.action === 'unchanged';
  };
  for (const right of rows) assert.ok(await isRight(right, true));

  const statuses: Record<string, number> = {};
  // Sent by another key, whose requests are its own; all of one workspace share what they may guess.
  const other = await daemon.newKey('write');
  for (let first = 0; first < 2_100; first += 100) {
    const jobs = guessed.map((key, index) => ({ ...header(`${first + index}`), key }));
    for (const { refusal } of await sendDefinitions(ask, { jobs, dryRun: true }, other)) {
      const status = refusal?.status ?? 200;
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  }
  assert.deepEqual(statuses, { 200: 2_000, 429: 100 });
  for (const dryRun of [true, false]) {
    for (const right of rows) assert.ok(!(await isRight(right, dryRun)), JSON.stringify(right));
  }

  const neighbour = await addWorkspace(dataDir);
  const key = await neighbour.newKey('write');
  await sendDefinitions(ask, { jobs: [header('1234')] }, key);
  const [own] = await sendDefinitions(ask, { jobs: [header('1234')], dryRun: true }, key);
  assert.equal(own?.action, 'unchanged', 'another workspace');
  clock.advanceBoth(3_600_000);
  for (const right of rows) assert.ok(await isRight(right, true), 'an hour later');
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
