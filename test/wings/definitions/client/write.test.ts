/** Exports can be read back unchanged for any job, and the same jobs give the same text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../../../support/fast-check.ts';
import { definedInput, definedJob } from '../../../../src/domain/jobs/managed-job.ts';
import { jobKind } from '../../../../src/wings/definitions/client/kinds.ts';
import { exportAll, fieldsOf, slugOf } from '../../../../src/wings/definitions/client/write.ts';
import type { Defined } from '../../../../src/wings/definitions/server/contract.ts';
import type { DefinedItems } from '../../../../src/wings/definitions/client/server.ts';
import { emptyLoad, readDefinitions } from '../../../../src/wings/definitions/client/load.ts';
import { problemText } from '../../../../src/wings/definitions/client/parse-file.ts';
import {
  fillIn,
  fillVariables,
  literal,
  literalVariables,
} from '../../../../src/wings/definitions/client/references.ts';
import { isoTime } from '../../../../src/domain/clock.ts';
import { brokenRule, nameRule, notesField } from '../../../../src/domain/fields.ts';
import { newId } from '../../../../src/domain/id.ts';
import type { JobDefinition } from '../../../../src/domain/jobs/managed-job.ts';
import { changedFields, withoutDefaults } from '../../../../src/domain/definition.ts';
import { jobFields } from '../../../../src/domain/jobs/fields.ts';
import { jobDefaults, type EditableFields } from '../../../../src/domain/jobs/job.ts';

const url = 'https://example.com/';
const noSources = {
  variable: (): string => assert.fail('a variable was asked for'),
  file: (): string => assert.fail('a file was asked for'),
};

/** Texts that are difficult for YAML and for references. */
const plainWords = 'no null ~ 012 1.10 file:x $file:x ${A} $${A} --- ... << &a *a !x ='.split(' ');
const odd = ['? a', ' x ', '\n', 'a\n\n', '\n a', ' \n', '\u001b[31m', '\u0085', '\u2028'];
const hard = fc.oneof(
  fc.anyText(30),
  fc.string({
    unit: fc.constantFrom('file:', ...'${}A \n#:-\'"\t\r|>'.split('')),
    maxLength: 20,
  }),
  fc.constantFrom(...plainWords, ...odd, '\u202e', '\u061c', '\ufeffx'),
);

const moment = (min: number) => fc.option(fc.integer({ min, max: min + 1e10 }).map(isoTime));
const seconds = fc.option(fc.constantFrom(60, 61, 3_600));

const arbitraryJob = fc.record({
  name: hard.filter((text) => brokenRule(nameRule, text) === undefined),
  path: fc.string({
    unit: fc.constantFrom('a', '$', '{', '}', '?', '=', '&', '%20'),
    maxLength: 20,
  }),
  method: fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'),
  headers: fc.dictionary(
    fc.constantFrom('X-A', 'x-b', 'Authorization', 'no', '1', 'X_A', 'X.A'),
    fc
      .string({
        unit: fc.constantFrom('a', '$', '{', '}', ' ', ':', '#'),
        minLength: 1,
        maxLength: 8,
      })
      .map((text) => text.trim() || 'x'),
  ),
  body: fc.option(hard),
  schedule: fc.oneof(
    fc
      .integer({ min: 60, max: 31_536_000 })
      .map((periodSeconds) => ({ scheduleType: 'period' as const, periodSeconds })),
    fc.record({
      cronExpr: fc.constantFrom(
        '* * * * *',
        '0 2 * * mon#1',
        '@daily',
        '*/5 0 L * ?'.replace('?', '*'),
      ),
      timezone: fc.constantFrom('UTC', 'Europe/Paris', 'Asia/Kolkata'),
    }),
  ),
  timeoutSeconds: fc.integer({ min: 1, max: 60 }),
  retries: fc.integer({ min: 0, max: 2 }),
  notes: hard.filter((text) => brokenRule(notesField.rule, text) === undefined),
  labels: fc.constantFrom({}, { client: 'acme', no: '1.10' }),
  runAt: fc.oneof(moment(1.75e12), moment(1.85e12)),
  notBefore: moment(1.7e12),
  notAfter: fc.oneof(moment(1.75e12), moment(1.85e12)),
  spreadSeconds: fc.option(fc.constantFrom(1, 60)),
  makeUpSeconds: seconds,
  deleteAfterSeconds: seconds,
  paused: fc.boolean(),
  isManaged: fc.boolean(),
});

function jobOf({
  path,
  schedule,
  body,
  method,
  ...rest
}: typeof arbitraryJob extends fc.Arbitrary<infer T> ? T : never): EditableFields & { id: string } {
  const withBody = method !== 'GET' && method !== 'HEAD';
  const input = {
    ...rest,
    ...schedule,
    method,
    url: `https://example.com/${path}`,
    ...(withBody && { body }),
  } as const;
  const { runAt, ...before } = input;
  // It keeps the schedule that it had before it was due once.
  return { ...definedJob(before, 30), runAt, id: newId(0) };
}

/** Jobs as the server lists them. */
function itemsOf(
  jobs: readonly (EditableFields & { id: string })[],
  keys: ReadonlyMap<string, string>,
  timeoutSeconds = 30,
): DefinedItems {
  const defined = jobs.map(({ id, ...job }): Defined => {
    const headers = Object.fromEntries(Object.keys(job.headers).map((name) => [name, null]));
    const definition = withoutDefaults({ ...job, headers }, { ...jobDefaults, timeoutSeconds });
    return { kind: 'job', key: keys.get(id) ?? null, id, definition };
  });
  return { jobs: defined, monitors: [], channels: [] };
}

test('reading an export back gives the same jobs', () => {
  fc.assert(
    fc.property(
      fc.array(arbitraryJob, { maxLength: 5 }),
      fc.constantFrom(10, 30),
      (drafts, timeout) => {
        const jobs = drafts.map(jobOf);
        const keys = new Map(
          drafts.flatMap(({ isManaged }, index) =>
            isManaged ? [[jobs[index]?.id ?? '', `key-${index}`]] : [],
          ),
        );
        const { text, variables } = exportAll(itemsOf(jobs, keys, timeout));
        const reversed = exportAll(itemsOf(jobs.toReversed(), keys, timeout));
        assert.equal(reversed.text, text, 'it is stable');
        // oxlint-disable-next-line no-control-regex -- no text may control the terminal
        assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);

        const loaded = emptyLoad();
        const sources = {
          ...noSources,
          variable: (name: string) => (variables.includes(name) ? `value of ${name}` : undefined),
        };
        readDefinitions(loaded, { path: 'x', text }, sources);
        assert.deepEqual(loaded.problems.map(problemText), []);
        assert.equal(loaded.definitions.length, jobs.length);
        for (const { key, input, adopt } of loaded.definitions) {
          const job =
            jobs.find(({ id }) => (adopt ? id === adopt : keys.get(id) === key)) ??
            assert.fail(key);
          const read = definedJob(definedInput(input as unknown as JobDefinition), timeout, job);
          const names = Object.keys(read.headers);
          assert.deepEqual(names.toSorted(), Object.keys(job.headers).toSorted());
          assert.deepEqual(
            changedFields(jobFields, { ...job, headers: {} }, { ...read, headers: {} }),
            [],
            text,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('a job that runs once, or after others, has no schedule in its file, whatever it keeps', () => {
  const others = [
    { runAt: '2030-01-01T00:00:00.000Z' },
    { after: '019a9b1c-7f3a-7b14-9d0a-5b1c2e7f8a91' },
  ];
  for (const other of others) {
    const input = { name: 'once', url: 'https://example.com/', timezone: 'UTC', ...other };
    for (const kept of [
      {},
      { cronExpr: '5 4 * * *' },
      { scheduleType: 'period', periodSeconds: 60 },
    ]) {
      const written = fieldsOf(jobKind, 'once', { ...input, ...kept });
      assert.deepEqual(Object.keys(written), [
        'url',
        'timezone',
        'after' in other ? 'after' : 'at',
      ]);
    }
  }
});

test('literal text is read back unchanged', () => {
  fc.assert(
    fc.property(hard, (text) => {
      assert.deepEqual(fillIn(literal(text), noSources), { text, secrets: [] });
      assert.deepEqual(fillVariables(literalVariables(text), noSources), { text, secrets: [] });
    }),
    { numRuns: 2_000 },
  );
});

test('a job made by hand gets a unique key derived from its name', () => {
  assert.equal(slugOf('Nightly Backup (EU)', 'job'), 'nightly-backup-eu');
  assert.equal(slugOf('Überweisung  №5', 'job'), 'uberweisung-no5');
  assert.equal(slugOf('ありがとう', 'job'), 'job');
  const job = definedJob({ name: 'a', url, headers: { 'X-A': 'b' } }, 30);
  const jobs = ['3', '1', '2'].map((id) => ({ ...job, id }));
  const { text, variables } = exportAll(itemsOf(jobs, new Map([['3', 'a']])));
  assert.deepEqual(text.match(/^ {2}\S+:$/gm), ['  a:', '  a-2:', '  a-3:']);
  assert.match(text, /a-2:\n {4}adopt: "1"\n/);
  assert.deepEqual(variables, ['SECRET_A_X_A', 'SECRET_A_2_X_A', 'SECRET_A_3_X_A']);
  assert.match(
    text,
    /^# Bodies and URLs are written as they are: .*\n# Values of headers .*:\n#   SECRET_A/,
  );
  assert.equal(exportAll(itemsOf([], new Map())).text, 'jobs: {}\n');
});

/** A channel as the server lists it. */
const channel = (id: string, type: string, served: object, hidden: string[]): Defined => ({
  kind: 'channel',
  key: `c${id}`,
  id,
  definition: {
    name: 'c',
    type,
    config: Object.fromEntries(hidden.map((name) => [name, null])),
    ...served,
    alsoOn: ['interrupted'],
    remindEverySeconds: 5_400,
  },
});

test('an export of monitors and channels is read back, and names what a channel serves by keys', () => {
  const ids = [newId(1), newId(2)] as const;
  const definition = { name: 'Nightly', graceSeconds: 60 };
  const monitor: Defined = { kind: 'monitor', key: null, id: ids[1], definition };
  const { jobs } = itemsOf([{ ...definedJob({ name: 'b', url }, 30), id: ids[0] }], new Map());
  const channels = [
    channel('3', 'webhook', { jobs: [ids[0]], monitors: [ids[1]] }, ['secret', 'url']),
    channel('4', 'ntfy', {}, ['url', 'token']),
    channel('5', 'slack', { jobs: [] }, ['url']),
    channel('6', 'slack', { jobs: ['*'] }, ['url']),
  ];
  const { text, variables } = exportAll({ jobs, monitors: [monitor], channels });
  assert.deepEqual(variables.toSorted(), [
    'SECRET_C3_URL',
    'SECRET_C4_TOKEN',
    'SECRET_C4_URL',
    'SECRET_C5_URL',
    'SECRET_C6_URL',
  ]);
  const loaded = emptyLoad();
  const sources = {
    ...noSources,
    variable: (name: string) => (name.endsWith('TOKEN') ? 'tk_abcdefghijklmnop' : `${url}topic`),
  };
  readDefinitions(loaded, { path: 'x', text }, sources);
  assert.deepEqual(loaded.problems.map(problemText), []);
  const read = loaded.definitions.map(({ key, adopt, input }) => {
    const { jobs: named, monitors, alsoOn, remindEverySeconds, graceSeconds } = input;
    const more = alsoOn === undefined ? undefined : [alsoOn, remindEverySeconds];
    return { key, adopt, named, monitors, more, graceSeconds };
  });
  const more = [['interrupted'], 5_400];
  const none = { adopt: undefined, graceSeconds: undefined, monitors: undefined };
  assert.deepEqual(read, [
    { ...none, key: 'b', adopt: ids[0], named: undefined, more: undefined },
    {
      ...none,
      key: 'nightly',
      adopt: ids[1],
      named: undefined,
      more: undefined,
      graceSeconds: 60,
    },
    { ...none, key: 'c3', named: ['b'], monitors: ['nightly'], more },
    { ...none, key: 'c4', named: undefined, more },
    { ...none, key: 'c5', named: [], more },
    { ...none, key: 'c6', named: ['*'], more },
  ]);
});
