/**
 * Which tests there are, and when they run. The place of a file says it:
 *
 * - a folder named `e2e` or `postgres`: `npm run test:all` only. These tests need minutes, a browser, a PostgreSQL server,
 *   root or other programs.
 * - everything else: `npm test` too.
 *
 * `npm run test:all` also runs what stores something a second time, on PostgreSQL, and looks longer where all cases are too many.
 */

import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..', '..');

/** Files that one process runs, one after the other. */
export interface Batch {
  /** The part of the suite that it belongs to, for people. */
  part: string;
  files: string[];
  env?: Record<string, string>;
}

export type Suite = 'quick' | 'long';

/** The suite of a test file, from its path in the project. */
export function suiteOf(file: string): Suite {
  return /\/(e2e|postgres)\//.test(file) ? 'long' : 'quick';
}

/** All test files, as paths in the project, in order. */
export function testFiles(): string[] {
  return globSync('test/**/*.test.ts', { cwd: root }).toSorted();
}

/** Folders of rules and views: no sockets, no programs. */
const unit = ['base', 'domain', 'store', 'app', 'dashboard', 'receipt', 'secrets', 'metrics'];
const unitFiles = ['architecture', 'cut'].map((name) => `${name}.test.ts`);
const unitPlaces = new Set([...unit, ...unitFiles]);
const unitWings = ['ledger', 'readers'].map((name) => `test/wings/${name}/`);

function isUnit(file: string): boolean {
  return unitPlaces.has(partOf(file)) || unitWings.some((wing) => file.startsWith(wing));
}

/** The folder below `test`, or the file in it. */
function partOf(file: string): string {
  return file.split('/')[1] ?? '';
}

/** What opens a store in its own process, so that this can be one on PostgreSQL. */
const storing = [
  'app',
  'engine',
  'store',
  'api',
  'wings/calls',
  'wings/definitions/server',
  'wings/explain',
  'wings/ledger',
  'wings/replay',
  'wings/timetable',
  'wings/windows',
];

/** Of these, what has no SQL, or is about one database. Conditions of queries differ nowhere, so the matrix says the same on both. */
const storingNothing = [
  'test/api/clients.test.ts',
  'test/api/docs.test.ts',
  'test/api/http/',
  'test/api/matrix.test.ts',
  'test/api/openapi.test.ts',
  'test/api/page/',
  'test/app/overview/bounds.test.ts',
  'test/engine/alerts/deliver.test.ts',
  'test/engine/loop.test.ts',
  'test/store/sqlite/',
  'test/wings/explain/answers.test.ts',
  'test/wings/explain/asked-time.test.ts',
  'test/wings/explain/chain.test.ts',
];

function isForPostgres(file: string): boolean {
  return (
    storing.some((place) => file.startsWith(`test/${place}/`)) &&
    suiteOf(file) === 'quick' &&
    !file.endsWith('query-plans.test.ts') &&
    !storingNothing.some((place) => file.startsWith(place))
  );
}

/** Folders whose tests take longest, which therefore begin first. */
const slowest = ['cli', 'api', 'sim', 'cost.test.ts', 'wings', 'domain', 'engine', 'app', 'egress'];

function byLength(one: string, other: string): number {
  return rankOf(one) - rankOf(other);
}

function rankOf(file: string): number {
  const place = slowest.indexOf(partOf(file));
  return place === -1 ? slowest.length : place;
}

/** Files that make daemons, browsers and faults of their own, or that take longest. */
const alone = /\/e2e\/(?!page\/)|\/(?:fuzz|matrix)\.test/;
const mostInBatch = 20;

/** Puts files into processes: neighbours share one, so that what they import is loaded once. */
export function batchesOf(part: string, files: readonly string[], env = {}): Batch[] {
  const groups = Map.groupBy(files, (file) => (alone.test(file) ? file : dirname(file)));
  const batches: Batch[] = [];
  for (const group of groups.values()) {
    const last = batches.at(-1);
    const isNear = last && last.files.length + group.length <= mostInBatch;
    if (isNear && !alone.test(group[0] ?? '') && !alone.test(last.files[0] ?? '')) {
      last.files.push(...group);
      continue;
    }
    for (let start = 0; start < group.length; start += mostInBatch) {
      batches.push({ part, files: group.slice(start, start + mostInBatch), env });
    }
  }
  return batches;
}

/** Samples of `npm test` that `npm run test:all` takes larger. */
const longer: Readonly<Record<string, Record<string, string>>> = {
  'test/api/fuzz.test.ts': { JOBD_FUZZ_RUNS: '500' },
  'test/domain/schedule/next.oracle.test.ts': { JOBD_ORACLE: '100' },
  'test/sim/sim.test.ts': { JOBD_SIM_HISTORIES: '5' },
};

/** The tests of `npm run test:unit`, of `npm test`, and what `npm run test:all` adds to them. */
export const suites = {
  unit: () => batchesOf('unit', testFiles().filter(isUnit).filter(isQuick)),
  quick: () => batchesOf('quick', testFiles().filter(isQuick).toSorted(byLength)),
  long: (server: string) => {
    const files = testFiles().filter((file) => !isQuick(file));
    return [
      ...batchesOf('end to end', files),
      ...Object.entries(longer).flatMap(([file, env]) => batchesOf('longer', [file], env)),
      ...onPostgres(testFiles().filter(isForPostgres).toSorted(byLength), server),
    ];
  },
};

function isQuick(file: string): boolean {
  return suiteOf(file) === 'quick';
}

/** These files, with their stores on a PostgreSQL server. */
export function onPostgres(files: readonly string[], server: string): Batch[] {
  return batchesOf('on PostgreSQL', files, {
    JOBD_TEST_POSTGRES: server,
    JOBD_FUZZ_RUNS: '200',
  });
}
