/**
 * What makes a test fail by chance stays out of tests (CONTRIBUTING.md). Each kind has the files that may have it, with the
 * reason; such a file that has it no more leaves the list.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root } from './support/suite/suites.ts';

interface Kind {
  what: string;
  /** Which files of the project are looked at. */
  files: string;
  has: RegExp;
  instead: string;
  allowed: Readonly<Record<string, string>>;
}

const kinds: Kind[] = [
  {
    what: 'a die that no seed decides, in tests',
    files: 'test/**/*.{ts,tsx}',
    has: /Math\.random\(|randomInt\(|from 'fast-check'/,
    instead: 'test/support/dice.ts and test/support/fast-check.ts',
    allowed: { 'test/support/fast-check.ts': 'gives it the seed' },
  },
  {
    what: 'a die that no seed decides, in the program',
    files: '{src/*.ts,src/!(dashboard)/**/*.ts}',
    has: /Math\.random|randomInt/,
    instead: 'a parameter',
    allowed: {
      'src/serve/daemon.ts': 'gives it to the engine',
      'src/store/postgres/retried.ts': 'a rest between transactions that met',
    },
  },
  {
    what: 'a rest where a fact can be awaited',
    files: 'test/**/*.test.ts',
    has: /\bsetTimeout\b.*'node:timers\/promises'/,
    instead: 'test/support/until.ts',
    allowed: {
      'test/cli/runs/follow.test.ts': 'a stream that never ends',
      'test/store/postgres/hints.test.ts': 'changes without end while it looks',
      'test/e2e/postgres/outage.test.ts': 'an outage of some length',
      'test/e2e/stop.test.ts': 'what must not happen',
      'test/e2e/suspended.test.ts': 'a stopped process has no fact to await',
      'test/e2e/waits-crash.test.ts': 'the minute that expired waits get after a start',
      'test/e2e/page/hostile.test.ts': 'requests that never leave the browser',
    },
  },
  {
    what: 'a measured time',
    files: 'test/**/*.test.ts',
    has: /performance\.now\(/,
    instead: 'a fake clock, a count, or bench/',
    allowed: {
      'test/api/events/ends.test.ts': 'a timeout of Node itself that must not come',
      'test/egress/resolve.test.ts': 'stands in for the clock of a library',
      'test/store/postgres/hints.test.ts': 'more time allows more signals',
    },
  },
  {
    what: 'a limit of less than 30 s in which a test must succeed',
    files: 'test/**/*.test.ts',
    has: /\{[^{}]*\btimeout: (?:[12]\d_000|\d_000|\d{1,4})\b[^{}]*\}, (?:async )?\(/,
    instead: 'no limit, or 60_000',
    allowed: {},
  },
  {
    what: 'a port that was free a moment ago',
    files: 'test/**/*.ts',
    has: /\.close\([^)]*\);[^}]{0,80}return port\b/,
    instead: 'port 0, or test/support/own-port.ts',
    allowed: {},
  },
  {
    what: 'the home of whoever runs the tests',
    files: 'test/**/*.ts',
    has: /\bhomedir\(\)|process\.env\['HOME'\]/,
    instead: 'a temporary directory',
    allowed: {},
  },
];

for (const { what, files, has, instead, allowed } of kinds) {
  test(`kept out: ${what}`, () => {
    const found = globSync(files, { cwd: root })
      .filter((file) => file !== 'test/chance.test.ts')
      .filter((file) => has.test(readFileSync(join(root, file), 'utf8')));
    const known = Object.keys(allowed).toSorted();
    assert.deepEqual(found.toSorted(), known, `${what}: take ${instead}`);
  });
}
