/** A start waits for a database that is not there yet, for a while. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pino } from 'pino';
import { startWaiting } from '../../../src/cli/operator/start-waiting.ts';
import { JobdError, storeUnusable } from '../../../src/domain/errors.ts';
import { fakeClock } from '../../support/fakes/clock.ts';

const away = () => Promise.reject(storeUnusable('connect ECONNREFUSED'));

function setup() {
  const clock = fakeClock();
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const rest = async () => clock.advanceBoth(3_000);
  return { lines, parts: { log, clock, rest, stopSignal: new Promise(() => {}) } };
}

test('it starts once the database is there, and says meanwhile what it waits for', async () => {
  const { lines, parts } = setup();
  let tries = 0;
  const start = () => ((tries += 1) < 3 ? away() : Promise.resolve('started'));
  assert.equal(await startWaiting(start, parts), 'started');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /ECONNREFUSED.*jobd waits for its database/);
});

test('it gives up after a minute, and at once where waiting mends nothing', async () => {
  const { lines, parts } = setup();
  await assert.rejects(startWaiting(away, parts), /ECONNREFUSED/);
  assert.equal(lines.length, 20);
  const wrong = new JobdError('unavailable', 'password authentication failed (28P01)');
  await assert.rejects(
    startWaiting(() => Promise.reject(wrong), parts),
    /28P01/,
  );
  assert.equal(lines.length, 20);
});

test('a signal to stop ends the wait', async () => {
  const { parts } = setup();
  const stopping = { ...parts, stopSignal: Promise.resolve('SIGTERM') };
  assert.equal(await startWaiting(away, stopping), null);
});
