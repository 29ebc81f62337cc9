/** How dense the minutes to come are (docs/behavior.md#timetable-2). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../support/fast-check.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { spreadOffset } from '../../../src/domain/schedule/adjustment-input.ts';
import { countDensity, type Density, type DueJob } from '../../../src/wings/timetable/density.ts';

const minute = 60_000;
const hour = 60 * minute;
const start = Date.parse('2026-11-27T00:00:00Z');

function jobOf(id: string, cronExpr: string, host = 'example.com', now = start): DueJob {
  const schedule = { scheduleType: 'cron', cronExpr, timezone: 'UTC' } as const;
  return { id, host, schedule, first: nextDue(schedule, now) ?? Infinity };
}

/** Jobs that are due at 03:00. */
function nightly(count: number, host: string): DueJob[] {
  return Array.from({ length: count }, (_, index) => jobOf(`${host} ${index}`, '0 3 * * *', host));
}

/** Takes all steps. */
function countAll(jobs: DueJob[], hours: number, most = 50_000): Density & { steps: number } {
  const steps = countDensity(jobs, { from: start, until: start + hours * hour, most });
  for (let taken = 0; ; taken += 1) {
    const { done, value } = steps.next();
    if (done) return { ...value, steps: taken };
  }
}

test('each minute has the due times that its jobs have in it', () => {
  const expressions = ['* * * * *', '*/5 * * * *', '0 * * * *', '30 2 * * *', '7-9 */3 * * *'];
  const hosts = ['a.example', 'b.example'];
  const job = fc.record({ expr: fc.constantFrom(...expressions), host: fc.constantFrom(...hosts) });
  fc.assert(
    fc.property(fc.array(job, { maxLength: 12 }), fc.integer({ min: 1, max: 30 }), (of, hours) => {
      const jobs = of.map(({ expr, host }, index) => jobOf(`${index}`, expr, host));
      const { counts, until, busiest } = countAll(jobs, hours);
      const expected = Array.from({ length: hours * 60 }, () => 0);
      for (const { schedule, first } of jobs) {
        for (let at = first; at < start + hours * hour; at = nextDue(schedule, at) ?? Infinity) {
          const index = (at - start) / minute;
          expected[index] = (expected[index] ?? 0) + 1;
        }
      }
      assert.deepEqual(counts, expected);
      assert.equal(until, start + hours * hour);
      for (const busy of busiest) {
        const inHosts = busy.hosts.reduce((sum, one) => sum + one.count, 0);
        assert.deepEqual([busy.count, inHosts], [expected[(busy.at - start) / minute], busy.count]);
      }
      const calls = busiest.filter(({ spread }) => spread === null).map((busy) => busy.count);
      assert.deepEqual(
        calls,
        calls.toSorted((one, other) => other - one),
      );
    }),
  );
});

test('too many due times are counted up to a time that is the same for all jobs', () => {
  const jobs = Array.from({ length: 100 }, (_, index) => jobOf(`${index}`, '* * * * *'));
  const { counts, until } = countAll(jobs, 24, 2_600);
  // All of five minutes are counted, or none.
  assert.deepEqual([counts.length, (until - start) / minute], [25, 25]);
  assert.deepEqual([...new Set(counts.slice(1))], [100]);
});

test('it is counted in steps, however many jobs are due at once', () => {
  const jobs = Array.from({ length: 5_000 }, (_, index) => jobOf(`${index}`, '0 3 * * *'));
  const { steps, counts } = countAll(jobs, 24);
  assert.equal(counts[180], 5_000);
  assert.ok(steps >= 25, `${steps} steps`);
});

test('many jobs of which none is due soon are passed over, and a collision is judged in steps', () => {
  const later = Array.from({ length: 1_000 }, (_, index) => {
    return jobOf(`${index}`, '0 3 * * *', 'db.example', start + 5 * 24 * hour);
  });
  const steps = countDensity(later, { from: start, until: start + 6 * 24 * hour, most: 50_000 });
  const looks: number[] = [];
  let looked = 0;
  for (const job of later) {
    const { schedule } = job;
    Object.defineProperty(job, 'schedule', { get: () => ((looked += 1), schedule) });
  }
  let isDone = false;
  while (!isDone) {
    looked = 0;
    isDone = steps.next().done === true;
    looks.push(looked);
  }
  assert.ok(Math.max(...looks) <= 500, `${Math.max(...looks)} jobs in a step`);
  assert.ok(looks.length < 60, `${looks.length} steps`);
});

test('ten calls of one host in a minute are a collision, which says what a spread would make of it', () => {
  const alone = nightly(9, 'calm.example');
  const together = nightly(24, 'db.example');
  const others = Array.from({ length: 40 }, (_, index) =>
    jobOf(`${index}`, '0 4 * * *', `h${index}`),
  );
  const { busiest } = countAll([...alone, ...others, ...together], 24);
  assert.deepEqual(
    busiest.map(({ at, count: calls, hosts }) => [(at - start) / hour, calls, hosts[0]?.host]),
    [
      [3, 33, 'db.example'],
      [4, 40, 'h0'],
    ],
  );
  const { seconds = 0, most } = busiest[0]?.spread ?? {};
  const minutes = together.map(({ id }) => Math.floor(spreadOffset(id, seconds) / 60));
  const expected = Math.max(
    ...minutes.map((one) => minutes.filter((other) => other === one).length),
  );
  assert.equal(most, expected);
  assert.ok(most < 5);
  assert.equal(busiest[1]?.spread, null);
});

const forty = (job: (id: string) => DueJob): DueJob[] =>
  Array.from({ length: 40 }, (_, at) => job(`${at}`));

test('all collisions are marked, and no spread is proposed that a job may not have or that does not help', () => {
  const adjusted = { offsetMs: 0, from: 0, until: Infinity, timezone: 'UTC' };
  const spreadAlready = { ...jobOf('', '0 3 * * *').schedule, adjusted };
  const periodic = (periodSeconds: number) =>
    forty((id) => ({
      id,
      host: 'db.example',
      schedule: { scheduleType: 'period', periodSeconds, anchorAt: start },
      first: start + periodSeconds * 1_000,
    }));
  const rows: [jobs: DueJob[], most: number | null][] = [
    [forty((id) => jobOf(id, '0 3 * * *')), 3_600],
    [forty((id) => jobOf(id, '*/10 * * * *')), 600],
    [forty((id) => jobOf(id, '* * * * *')), null],
    [periodic(420), 300],
    [periodic(240), null],
    [forty((id) => ({ ...jobOf(id, '0 3 * * *'), schedule: spreadAlready })), null],
    [[...forty((id) => jobOf(id, '0 * * * *', 'db.example')), ...periodic(900)], 900],
  ];
  for (const [jobs, most] of rows) {
    const { counts, collisions, busiest } = countAll(jobs, 24);
    assert.deepEqual(
      collisions,
      counts.flatMap((count, index) => (count >= 10 ? [index] : [])),
    );
    for (const { spread } of busiest.slice(0, collisions.length)) {
      if (most === null) assert.equal(spread, null);
      else assert.ok(spread !== null && spread.seconds <= most, `${spread?.seconds} <= ${most}`);
    }
  }
});
