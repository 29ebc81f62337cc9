/** Time-zone data of the system: compiled files as RFC 9636 has them, and which data is used. */

import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, test, type TestContext } from 'node:test';
import { localIsoTime } from '../../../src/domain/schedule/local-time.ts';
import { nextDue } from '../../../src/domain/schedule/next.ts';
import { parsePosixZone } from '../../../src/domain/schedule/posix-zone.ts';
import { readTzif } from '../../../src/domain/schedule/tzif.ts';
import {
  isZoneDataOld,
  refreshZoneData,
  useZoneSource,
  zoneDataText,
  zoneDataVersion,
} from '../../../src/domain/schedule/zone-data.ts';
import { findZoneFiles } from '../../../src/base/zone-files.ts';
import * as fc from '../../support/fast-check.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { clockOf } from './oracle.ts';
import { tzifOf, type ZoneLaw } from './tzif-file.ts';

const hour = 3_600;
const minutesPerYear = 525_600;
const at = (time: string): number => Date.parse(`${time}Z`);
const seconds = (time: string): number => at(time) / 1_000;

const noSource = { builtIn: '', find: () => null };
afterEach(() => useZoneSource(noSource));

test('offsets of a file are those of the law it was written from, in every minute around a change', () => {
  const offset = fc.integer({ min: -15 * hour, max: 15 * hour });
  const changes = fc.uniqueArray(fc.tuple(fc.integer({ min: -2e9, max: 2e9 }), offset), {
    selector: ([time]) => time,
    maxLength: 20,
  });
  const law = fc.record({ first: offset, changes, version: fc.constantFrom(1, 2, 4) });
  fc.assert(
    fc.property(law, ({ first, changes: unordered, version }) => {
      const inOrder = unordered.toSorted(([one], [other]) => one - other);
      const offsetAt = readTzif(tzifOf({ first, changes: inOrder }, version));
      for (const [time] of inOrder) {
        for (const minute of [-2, -1, 0, 1].map((step) => Math.floor(time / 60) + step)) {
          const last = inOrder.findLast(([change]) => change <= minute * 60);
          assert.equal(offsetAt(minute), Math.floor((last?.[1] ?? first) / 60));
        }
      }
    }),
  );
});

/** Rules for later times, and a zone that follows each for good. */
const rules: readonly (readonly [rule: string, zone: string])[] = [
  ['CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Berlin'],
  ['EST5EDT,M3.2.0,M11.1.0', 'America/New_York'],
  ['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 'Australia/Lord_Howe'],
  ['<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45', 'Pacific/Chatham'],
  ['IST-1GMT0,M10.5.0,M3.5.0/1', 'Europe/Dublin'],
  ['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', 'America/Nuuk'],
  ['IST-2IDT,M3.4.4/26,M10.5.0', 'Asia/Jerusalem'],
  ['EET-2EEST,M4.5.5/0,M10.5.4/24', 'Africa/Cairo'],
  ['<+0545>-5:45', 'Asia/Kathmandu'],
  ['<-12>12', 'Etc/GMT+12'],
];

for (const [rule, zone] of rules) {
  test(`${rule} means what the clocks of ${zone} do`, () => {
    const offsetAt = parsePosixZone(rule);
    const localOf = clockOf(zone);
    const from = at('2030-01-01') / 60_000;
    for (let minute = from; minute < from + 12 * minutesPerYear; minute += 407) {
      assert.equal(offsetAt(minute * 60), (localOf(minute) - minute) * 60);
    }
  });
}

test('days of a year are counted with and without 29 February, and summer time may never end', () => {
  const counted = parsePosixZone('A0B,59/0,J60/2');
  const change = (time: string): number[] =>
    [-1, 0].map((step) => counted(seconds(time) + step) / hour);
  assert.deepEqual(change('2028-02-29T00:00'), [0, 1], 'the 60th day');
  assert.deepEqual(change('2028-03-01T01:00'), [1, 0], '1 March, at two in summer');
  assert.deepEqual(change('2027-03-01T00:00'), [0, 1], 'the 60th day is 1 March');
  assert.deepEqual(change('2027-03-01T01:00'), [1, 0]);
  const always = parsePosixZone('EST5EDT,0/0,J365/25');
  for (const time of ['2030-01-01T03:59', '2030-01-01T05:00', '2030-07-01', '2030-12-31T23:59']) {
    assert.equal(always(seconds(time)), -4 * hour);
  }
});

test('a rule that cannot be read, and a file that is none, are refused with a RangeError', () => {
  const badRules = [
    '',
    'A',
    '5',
    'A0B',
    'A0B,M3.5.0',
    'A0B,M3.6.0,M4.1.0',
    'A0B,M3.5.0,M4.1.0,',
    'A0,M3.5.0,M4.1.0',
  ];
  for (const rule of badRules) assert.throws(() => parsePosixZone(rule), RangeError, rule);
  const law: ZoneLaw = {
    first: 0,
    changes: [
      [0, hour],
      [100, 0],
    ],
    later: 'A0',
  };
  const file = tzifOf(law);
  for (let length = 0; length < file.length; length += 1) {
    assert.throws(() => readTzif(file.subarray(0, length)), RangeError, `${length} bytes`);
  }
  const bad: ZoneLaw[] = [
    { ...law, leapSeconds: 1 },
    { ...law, later: 'now and then' },
    {
      first: 0,
      changes: [
        [5, hour],
        [5, 0],
      ],
    },
    { first: 27 * hour },
  ];
  for (const one of bad) assert.throws(() => readTzif(tzifOf(one)), RangeError);
});

test('any change of a file gives offsets of a day at most, or a RangeError', () => {
  const file = tzifOf({
    first: -hour,
    changes: [
      [0, hour],
      [1e9, -hour],
    ],
    later: 'A5B,M3.2.0,M11.1.0',
  });
  const place = fc.nat(file.length - 1);
  fc.assert(
    fc.property(fc.array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 8 }), (edits) => {
      const edited = Buffer.from(file);
      for (const [index, byte] of edits) edited[index] = byte;
      try {
        const offsetAt = readTzif(edited);
        for (const minute of [-1e9, 0, 3e7, 1e9]) assert.ok(Math.abs(offsetAt(minute)) < 200 * 60);
      } catch (error) {
        assert.ok(error instanceof RangeError, String(error));
      }
    }),
  );
});

/** From November 2026 on Winnipeg keeps its summer time, in this test. */
const newLaw: ZoneLaw = {
  first: -6 * hour,
  changes: [[seconds('2026-03-08T08:00'), -5 * hour]],
  later: 'EST5',
};

function writeZones(
  t: TestContext,
  version: string,
  laws: Readonly<Record<string, ZoneLaw | string>>,
) {
  const directory = temporaryDirectory(t);
  const put = (name: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), content);
  };
  const links = Object.entries(laws).filter((entry) => typeof entry[1] === 'string');
  put(
    'tzdata.zi',
    `# version ${version}\n${links.map(([name, to]) => `L ${to as string} ${name}\n`).join('')}`,
  );
  for (const [name, law] of Object.entries(laws))
    if (typeof law !== 'string') put(name, tzifOf(law));
  return { directory, put };
}

const morning = {
  scheduleType: 'cron',
  cronExpr: '0 9 * * *',
  timezone: 'America/Winnipeg',
} as const;
const eve = at('2026-12-01T00:00');
const dueAt = (timezone: string): string =>
  new Date(nextDue({ ...morning, timezone }, eve) ?? 0).toISOString().slice(11, 16);

test('due times follow the data of the system if it is newer, and local times are shown by it', (t) => {
  const { directory } = writeZones(t, '2026f', {
    'America/Winnipeg': newLaw,
    'Canada/Central': 'America/Winnipeg',
  });
  assert.equal(dueAt('America/Winnipeg'), '15:00');
  useZoneSource({ builtIn: '2026c', find: () => findZoneFiles(directory) });
  assert.equal(dueAt('America/Winnipeg'), '14:00');
  assert.equal(dueAt('Canada/Central'), '14:00', 'a link without a file');
  assert.equal(
    dueAt('Europe/Paris'),
    '08:00',
    'a zone without a file is that of the built-in data',
  );
  assert.equal(localIsoTime(eve, 'America/Winnipeg'), '2026-11-30T19:00:00.000-05:00');
  assert.equal(zoneDataText(), `2026f in ${directory}, 2026c is built in`);
});

const unused: readonly (readonly [string, (files: ReturnType<typeof writeZones>) => void])[] = [
  ['as old', ({ put }) => put('tzdata.zi', '# version 2026c\n')],
  ['older', ({ put }) => put('tzdata.zi', '# version 2025z\n')],
  ['without a release', ({ put }) => put('tzdata.zi', 'L America/Winnipeg Canada/Central\n')],
  ['of an unknown release', ({ put }) => put('tzdata.zi', '# version unknown\n')],
  ['not there', ({ directory }) => rmSync(directory, { recursive: true })],
  ['too large', ({ put }) => put('tzdata.zi', `# version 2026f\n${' '.repeat(2 ** 20)}`)],
  ['damaged', ({ put }) => put('America/Winnipeg', 'TZif2')],
  ['too large for a zone', ({ put }) => put('America/Winnipeg', Buffer.alloc(100_000))],
  [
    'a directory',
    ({ directory, put }) => {
      rmSync(join(directory, 'America/Winnipeg'));
      put('America/Winnipeg/x', '');
    },
  ],
];

for (const [what, spoil] of unused) {
  test(`data of the system that is ${what} is not used`, (t) => {
    const files = writeZones(t, '2026f', { 'America/Winnipeg': newLaw });
    spoil(files);
    useZoneSource({ builtIn: '2026c', find: () => findZoneFiles(files.directory) });
    assert.equal(dueAt('America/Winnipeg'), '15:00');
  });
}

test('no name leads out of the directory, however the index links it', (t) => {
  const { directory, put } = writeZones(t, '2026f', { 'a/b': '../x' });
  put('../outside', tzifOf(newLaw));
  t.after(() => rmSync(join(directory, '../outside')));
  put('tzdata.zi', '# version 2026f\nL ../outside A/B\nL C/D C/E\nL C/E C/D\n');
  const files = findZoneFiles(directory);
  for (const name of ['A/B', '../outside', '/etc/passwd', 'C/D', ''])
    assert.equal(files?.read(name), null);
});

test('another release is used when two looks in a row find it, also an older one', (t) => {
  const { directory, put } = writeZones(t, '2026d', { 'America/Winnipeg': { first: -6 * hour } });
  useZoneSource({ builtIn: '2026c', find: () => findZoneFiles(directory) });
  assert.equal(dueAt('America/Winnipeg'), '15:00');
  put('America/Winnipeg', tzifOf(newLaw));
  put('tzdata.zi', '# version 2026f\n');
  assert.deepEqual([refreshZoneData(), zoneDataVersion()], [false, '2026d']);
  assert.deepEqual([refreshZoneData(), zoneDataVersion()], [true, '2026f']);
  assert.equal(dueAt('America/Winnipeg'), '14:00');
  assert.equal(refreshZoneData(), false);
  put('tzdata.zi', '# version 2026a\n');
  assert.equal(refreshZoneData(), false);
  put('tzdata.zi', '# version 2026f\n');
  assert.deepEqual([refreshZoneData(), refreshZoneData()], [false, false], 'as before');
  rmSync(join(directory, 'tzdata.zi'));
  assert.deepEqual(
    [refreshZoneData(), refreshZoneData(), zoneDataVersion()],
    [false, true, '2026c'],
  );
  assert.equal(dueAt('America/Winnipeg'), '15:00');
});

test('data of last year is too old half a year into this one', () => {
  useZoneSource({ builtIn: '2026c', find: () => null });
  assert.equal(isZoneDataOld(at('2027-06-01')), false);
  assert.equal(isZoneDataOld(at('2027-07-01')), true);
  useZoneSource(noSource);
  assert.equal(isZoneDataOld(at('2099-07-01')), false, 'of an unknown release nothing is known');
});
