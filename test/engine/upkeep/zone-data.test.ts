/** Time-zone data that changes while jobd runs: due times follow it. */

import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { useZoneSource } from '../../../src/domain/schedule/zone-data.ts';
import { fakeClock } from '../../support/fakes/clock.ts';
import { setupEngine } from '../../support/running/engine.ts';
import { until } from '../../support/until.ts';

const minute = 60_000;
const start = Date.parse('2026-12-01T00:00:00Z');

afterEach(() => useZoneSource({ builtIn: '', find: () => null }));

/** A system whose every zone is at one offset. */
function provide(version: string, offset: number) {
  const data = { version, offset };
  useZoneSource({
    builtIn: '2026a',
    find() {
      const { version: found, offset: minutes } = data;
      return { version: found, directory: '/zones', read: () => () => minutes };
    },
  });
  return data;
}

test('a job is due by new time-zone data once the system has it, without a restart', async (t) => {
  const data = provide('2026b', 60);
  const {
    start: startEngine,
    addJob,
    clock,
    readJob,
    logged,
  } = await setupEngine(t, fakeClock(start));
  const job = await addJob(
    { cronExpr: '0 9 * * *', timezone: 'Europe/Paris' },
    start + 480 * minute,
  );
  const interval = await addJob(
    { scheduleType: 'period', periodSeconds: 86_400 },
    start + 540 * minute,
  );
  await startEngine();
  Object.assign(data, { version: '2026c', offset: 120 });
  const noticed = (): boolean => logged.some(({ msg }) => msg === 'other time-zone data is used');
  await until('the data to be noticed', () => {
    if (!noticed()) clock.advanceBoth(minute);
    return noticed();
  });
  await until(
    'the job to be planned',
    async () => (await readJob(job)).nextRunAt === start + 420 * minute,
  );
  assert.equal((await readJob(interval)).nextRunAt, start + 540 * minute, 'as before');
  assert.ok(logged.some(({ msg }) => msg === 'due times were corrected'));
});
