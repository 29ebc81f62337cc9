import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runStatuses } from '../../../src/domain/runs/run.ts';
import * as view from '../../../src/dashboard/view/timetable.ts';
import type { TimetableRow } from '../../../src/wings/timetable/contract.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const nowMs = Date.parse('2026-11-27T12:34:56Z');
const iso = (at: number) => new Date(at).toISOString();
const id = '0199c6a2-3f5e-7b14-9d0a-5b1c2e7f8a90';

const ran = (at: number, status: TimetableRow['runs'][number]['status'], more: object = {}) => ({
  id: `run of ${iso(at)}`,
  at: iso(at),
  status,
  durationMs: null,
  ...more,
});
const rowOf = (more: Partial<TimetableRow>): TimetableRow => ({
  id,
  name: 'a',
  status: 'up',
  timezone: 'UTC',
  nextRunAt: null,
  scheduleWords: 'Every hour',
  runs: [],
  runsFrom: null,
  due: [],
  isDuePartial: false,
  ...more,
});

/** An axis with a pixel for each minute. */
const axis = view.axisOf({ from: nowMs - day, to: nowMs + day }, '24h', 1_440);

test('the period is a day before and after, stays the same for an hour, and ends a week away', () => {
  const around = (at: number, zoom: view.Zoom = '24h') => view.periodAround(at, zoom, nowMs);
  const { from, to } = around(nowMs);
  assert.deepEqual([to - from, from % hour], [2 * day, 0]);
  assert.deepEqual(around(nowMs + 20 * minute), { from, to });
  assert.equal(around(nowMs, '6h').to - around(nowMs, '6h').from, 2 * day);
  assert.equal(around(nowMs, '7d').to - around(nowMs, '7d').from, 7 * day);
  for (const [far, limit] of [
    [-100, -7],
    [100, 7],
  ] as const) {
    assert.deepEqual(around(nowMs + far * day), around(nowMs + limit * day));
  }
});

test('a window shows as much of the axis as was chosen', () => {
  assert.equal(axis.width, 2 * 1_440);
  assert.deepEqual([axis.xOf(axis.from), axis.xOf(nowMs), axis.xOf(axis.to)], [0, 1_440, 2_880]);
});

test('lines are at round times, far enough apart for their words', () => {
  for (const [zoom, seen] of [
    ['6h', 300],
    ['24h', 1_000],
    ['24h', 200],
    ['7d', 1_000],
  ] as const) {
    const wide = view.axisOf(view.periodAround(nowMs, zoom, nowMs), zoom, seen);
    const ticks = view.ticksOf(wide, nowMs);
    assert.ok(ticks.length > 1, zoom);
    for (const [index, { x, text, isDay }] of ticks.entries()) {
      assert.ok(
        index === 0 || x - (ticks[index - 1]?.x ?? 0) >= 40 || zoom === '24h',
        `${zoom} at ${x}`,
      );
      assert.match(text, isDay ? /^\w{3} \d+ \w{3}/ : /^(?:\d\d:(?:00|15|30|45))?$/);
    }
  }
});

test('each status has a shape of its own, and what is to come is hollow', () => {
  const shapes = runStatuses.map((status) =>
    view.drawingOf(rowOf({ runs: [ran(nowMs, status)] }), axis, nowMs),
  );
  const paths = shapes.flatMap((shape) => Object.values(shape).filter((path) => path !== ''));
  assert.equal(paths.length, runStatuses.length);
  // What is queued will run.
  assert.ok(new Set(paths).size >= runStatuses.length - 2, paths.join('\n'));
  const { due, 'due-band': band } = view.drawingOf(
    rowOf({
      due: [{ at: iso(nowMs) }, { at: iso(nowMs + hour), until: iso(nowMs + 2 * hour), count: 13 }],
    }),
    axis,
    nowMs,
  );
  assert.match(due ?? '', /^M1439\.5 4\.5h3v11h-3z$/);
  assert.match(band ?? '', /^M1499\.5 4\.5h60v11h-60z$/);
});

test('a run is as wide as it took, and one that runs goes on until now', () => {
  const { success, running, band, unread } = view.drawingOf(
    rowOf({
      runs: [
        ran(nowMs - 5 * hour, 'success', { until: iso(nowMs - 4 * hour), count: 5 }),
        ran(nowMs - 2 * hour, 'success', { durationMs: 30 * minute }),
        ran(nowMs - 20 * minute, 'running'),
      ],
      runsFrom: iso(nowMs - 5 * hour),
    }),
    axis,
    nowMs,
  );
  assert.equal(success, 'M1319 4h31v12h-31z');
  assert.equal(running, 'M1419 4h21v12h-21z');
  assert.equal(band, 'M1139 4h61v12h-61z');
  assert.equal(unread, 'M0 10H1140');
});

test('the mark at a place is the nearest one, or none, and leads to its run or to the job', () => {
  const failed = ran(nowMs - hour, 'failed');
  const often = ran(nowMs - 3 * hour, 'success', { until: iso(nowMs - 2 * hour), count: 9 });
  const next = { at: iso(nowMs + hour) };
  const row = rowOf({ runs: [often, failed], due: [next] });
  const at = (x: number) => view.markAt(row, x, axis, nowMs);
  assert.equal(at(1_440 - 60), failed);
  assert.equal(at(1_440 - 66), failed);
  assert.equal(at(1_440 - 80), undefined);
  assert.equal(at(1_440 - 150), often);
  assert.equal(at(1_440 + 58), next);
  assert.equal(view.placeOf(row, failed), `/jobs/${id}/runs/${failed.id}`);
  assert.deepEqual(
    [view.placeOf(row, often), view.placeOf(row, next)],
    [`/jobs/${id}`, `/jobs/${id}`],
  );
  assert.deepEqual(view.marksOf(row), [often, failed, next]);
});

test('marks and rows have words', () => {
  const words = (mark: view.Mark) => view.markWords(mark, nowMs);
  assert.match(
    words(ran(nowMs, 'success', { durationMs: 1_234 })),
    /^success, \w+ \d+ \w+ \d\d:\d\d:56, took 1\.2 s$/,
  );
  const often = { at: '2026-11-27T10:00:00Z', until: '2026-11-27T11:00:00Z', count: 13 };
  assert.match(words(often), /^due 13 times, .* \d\d:00 to \d\d:00, every 5 m$/);
  assert.match(words({ ...ran(nowMs, 'missed'), ...often }), /^missed 13 times, .* to \d\d:00$/);
  assert.equal(view.rowWords(rowOf({}), nowMs), 'no runs; not due');
  const runs = [ran(nowMs - day, 'success', { count: 7 }), ran(nowMs - hour, 'failed')];
  assert.match(
    view.rowWords(rowOf({ runs, due: [often] }), nowMs),
    /^7 success, 1 failed; due 13 times, first /,
  );
  assert.match(
    view.rowWords(rowOf({ runs, runsFrom: iso(nowMs) }), nowMs),
    /^since .* 7 success, 1 failed; not due$/,
  );
});

test('the strip is as high as the busiest minute of a column, and shows where calls collide', () => {
  const from = iso(nowMs - (nowMs % minute));
  const busy = (index: number) => iso(Date.parse(from) + index * minute);
  const density = {
    from,
    counts: [0, 4, 2, 0, 20],
    collisions: [4],
    isPartial: false,
    busiest: [
      {
        at: busy(4),
        count: 20,
        hosts: [
          {
            host: 'db',
            count: 15,
          },
        ],
        spread: null,
      },
    ],
  };
  const columns = view.columnsOf(density, axis);
  assert.equal(columns.most, 20);
  assert.equal(columns.calm, 'M1440 29h2v7h-2z');
  assert.equal(columns.collisions, 'M1442 0h2v36h-2z');
  assert.equal(view.minuteAt(density, 1_443, axis), busy(4));
  assert.equal(view.minuteAt(density, 1_600, axis), null);
  assert.match(view.minuteWords(busy(4), density, nowMs), /: 20 calls: 15 to db$/);
  assert.match(view.minuteWords(busy(1), density, nowMs), /: 4 calls$/);
});

test('changes of the clocks that come together have one mark', () => {
  const at = '2026-10-25T01:00:00.000Z';
  const zone = (timezone: string, minutes = -60) => ({ at, timezone, minutes });
  const words = (...changes: ReturnType<typeof zone>[]) =>
    view.changesOf(changes).map((change) => change.words);
  assert.deepEqual(words(zone('Europe/Paris'), zone('Europe/Berlin')), ['Paris and 1 more −1 h']);
  assert.deepEqual(words(zone('Australia/Lord_Howe', 30)), ['Lord Howe +0.5 h']);
});
