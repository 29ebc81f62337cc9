/** When jobs are due, from the shell (docs/behavior.md#spread-1, docs/behavior.md#bound-1, docs/behavior.md#once-1). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveCommand } from '../../support/running/command.ts';

test('spread, bounds and one-time jobs are set, shown and taken away', async (t) => {
  const { jobd } = await serveCommand(t);
  const create = ['jobs', 'create', '--url', 'https://example.com/', '--name'];
  const shown = async (name: string): Promise<Map<string, string>> => {
    const { stdout, stderr, exitCode } = await jobd('jobs', 'get', name);
    assert.equal(exitCode, 0, stderr);
    const lines = stdout.trim().split('\n');
    return new Map(lines.map((line) => line.split('\t') as [string, string]));
  };
  const spread = ['--cron', '@daily', '--tz', 'UTC', '--spread', '10m'];
  const bounds = ['--not-before', '2990-12-01 09:00', '--not-after', '2990-12-24T00:00+01:00'];
  assert.equal((await jobd(...create, 'shop', ...spread, ...bounds)).exitCode, 0);
  const shop = await shown('shop');
  assert.equal(shop.get('spread'), '10m');
  assert.match(shop.get('next run') ?? '', /^2990-12-02T00:0\d:\d\d\.000Z$/);
  assert.equal(shop.get('next runs')?.split(' ')[0], shop.get('next run'));
  const off = ['--no-spread', '--no-not-before', '--no-not-after'];
  assert.equal((await jobd('jobs', 'update', 'shop', ...off)).exitCode, 0);
  assert.match((await shown('shop')).get('next run') ?? '', /T00:00:00\.000Z$/);

  const began = Date.now();
  assert.equal((await jobd(...create, 'remind', '--in', '2h', '--delete-after', '1d')).exitCode, 0);
  const remind = await shown('remind');
  const due = Date.parse(remind.get('next run') ?? '') - 7_200_000;
  assert.ok(due >= began && due <= Date.now(), remind.get('next run'));
  assert.match(remind.get('schedule') ?? '', /^once 20\d\d-\d\d-\d\d \d\d:\d\d/);
  assert.equal(remind.get('deleted after'), '1d');
  assert.match((await jobd('jobs', 'list')).stdout, /remind\t.*\tonce 20/);
  const kolkata = ['--tz', 'Asia/Kolkata', '--at'];
  assert.equal((await jobd(...create, 'zoned', ...kolkata, '23:00')).exitCode, 0);
  const moved = await jobd('jobs', 'update', 'zoned', '--at', '22:00');
  assert.match(moved.stdout, /^schedule\tonce 20\S+ 22:00 Asia\/Kolkata$/m, moved.stderr);
  for (const time of ['25:00', '9:00']) {
    const { stderr } = await jobd(...create, 'wrong', '--at', time);
    assert.match(stderr, /--at must be a date .* or a time of day such as 06:00, got "\d+:00"/);
  }
  const past = await jobd(...create, 'past', '--at', '2020-01-01 09:00', '--tz', 'Europe/Paris');
  assert.match(past.stderr, /--at must not be in the past, got 2020-01-01T08:00:00\.000Z/);
  const paris = ['--tz', 'Europe/Paris', '--at'];
  const [gap, overlap] = [`${lastSunday(2)} 02:30`, `${lastSunday(9)} 02:30`];
  const skipped = await jobd(...create, 'skipped', ...paris, gap);
  const instead = / does not exist in Europe\/Paris; called at Sun .* 03:00 \+02:00 instead\n/;
  assert.match(skipped.stderr, instead);
  const twice = await jobd('jobs', 'update', 'skipped', '--at', overlap);
  assert.match(twice.stderr, / happens twice in Europe\/Paris; called at the first\n/);
  const both = await jobd(...create, 'both', '--in', '2h', '--after', 'shop');
  assert.match(both.stderr, /use either --in or --after, not both/);
  const two = await jobd(...create, 'two', '--in', '2h', '--at', '2990-12-01 09:00');
  assert.match(two.stderr, /use either --at or --in, not both/);
});

/** When the clocks of Europe are set, next year: the last Sunday of a month with 31 days. */
function lastSunday(month: number): string {
  const last = new Date(Date.UTC(new Date().getUTCFullYear() + 1, month, 31));
  last.setUTCDate(31 - last.getUTCDay());
  return last.toISOString().slice(0, 10);
}
