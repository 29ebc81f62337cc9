/** Whatever `apply` would change of a job, monitor or channel, `diff` counts and shows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffLines } from '../../../../src/wings/definitions/client/diff-text.ts';
import { fileKinds, type Input } from '../../../../src/wings/definitions/client/kinds.ts';
import { channelFields } from '../../../../src/domain/alerts/fields.ts';
import { definedChannel } from '../../../../src/domain/alerts/managed-channel.ts';
import { changedFields } from '../../../../src/domain/definition.ts';
import { jobFields } from '../../../../src/domain/jobs/fields.ts';
import { definedInput, definedJob } from '../../../../src/domain/jobs/managed-job.ts';
import { monitorFields } from '../../../../src/domain/monitors/fields.ts';
import { definedMonitor } from '../../../../src/domain/monitors/monitor-input.ts';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';

const id = '01a1fc58-a505-7000-bebc-059153f75def';

const url = 'https://example.com/';
const period = { scheduleType: 'period', periodSeconds: 300 };
const cron = { scheduleType: 'cron', cronExpr: '0 3 * * *' };
const slack = { name: 'a', type: 'slack', config: { url } };
const after = { after: id, afterOn: 'failed' };

/** Definitions, and the fields that mean nothing beside what each says. */
const bases: readonly (readonly [section: string, input: Input, unused: readonly string[]])[] = [
  ['jobs', { name: 'a', url, ...cron }, ['periodSeconds']],
  ['jobs', { name: 'a', url, ...period }, ['cronExpr']],
  ['jobs', { name: 'a', url, ...after }, ['scheduleType', 'cronExpr', 'periodSeconds']],
  ['monitors', { name: 'a', ...cron }, ['periodSeconds']],
  ['monitors', { name: 'a', ...period }, ['cronExpr']],
  ['channels', slack, []],
];

/** Another value for each field that a definition decides. */
const others: Readonly<Record<string, unknown>> = {
  name: 'b',
  url: 'https://example.org/',
  method: 'PUT',
  headers: { 'x-a': 'b' },
  body: 'said',
  cronExpr: '5 4 * * *',
  timezone: 'Asia/Tokyo',
  periodSeconds: 600,
  timeoutSeconds: 7,
  retries: 2,
  spreadSeconds: 60,
  notBefore: '2026-12-01T09:00:00.000Z',
  notAfter: '2026-12-02T09:00:00.000Z',
  runAt: '2026-12-01T09:00:00.000Z',
  deleteAfterSeconds: 60,
  reportWithinSeconds: 60,
  makeUpSeconds: 60,
  after: { jobId: id.replace('01', '02'), on: 'success' },
  onResult: 'https://example.net/',
  labels: { client: 'acme' },
  selector: 'client=acme',
  notes: 'kept',
  paused: true,
  sign: 'oidc',
  audience: 'https://example.com',
  graceSeconds: 77,
  enabled: false,
  jobIds: [],
  monitorIds: [],
  afterFailures: 3,
  alsoOn: ['missed'],
  remindEverySeconds: 3_600,
};

/** The tables of their fields, and one as its definition says it. */
const subjects = {
  jobs: { table: jobFields, whole: (input: never) => definedJob(definedInput(input), 30) },
  monitors: { table: monitorFields, whole: (input: never) => definedMonitor(input) },
  channels: { table: channelFields, whole: (input: never) => definedChannel(input) },
};

for (const [section, input, unused] of bases) {
  const kind = fileKinds.find((one) => one.section === section) ?? assert.fail(section);
  const place = { path: 'x', line: 1, column: 1 };
  const read = { kind, key: 'k', place, input, adopt: undefined, written: new Map(), secrets: [] };

  test(`each field of ${section} like ${JSON.stringify(input)} is found and shown when it changes`, () => {
    const { table, whole: wholeOf } = subjects[kind.section];
    const whole = wholeOf(input as never);
    for (const name of Object.keys(whole).filter((field) => !unused.includes(field))) {
      const other =
        name === 'scheduleType'
          ? input['scheduleType'] === 'cron' || input['after'] !== undefined
            ? { scheduleType: 'period', periodSeconds: 60 }
            : { scheduleType: 'cron', cronExpr: '1 1 * * *' }
          : { [name]: others[name] ?? assert.fail(`give another value of ${name}`) };
      assert.notDeepEqual(changedFields(table, { ...whole, ...other }, whole), [], name);
      const named = { jobIds: 'jobs', monitorIds: 'monitors' }[name] ?? name;
      const before =
        name === 'after' ? { after: 'x' } : { ...other, [named]: other[name as never] };
      const hidden = name === 'headers' ? ['x-a'] : [];
      const change = {
        kind,
        key: 'k',
        id,
        action: 'update' as const,
        fields: [name],
        hidden,
        before,
      };
      const changes = [{ ...change, refusal: null, isDone: false, definition: read }];
      const plan = { changes, unlisted: [], areSecretsCompared: true, mark: '' };
      assert.notDeepEqual(diffLines(plan).slice(2), [], name);
    }
  });
}

test('the zone of an interval is exported, compared and kept', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const create = ['create', '--name', 'far', '--every', '1h', '--tz', 'Asia/Tokyo'];
  await daemon.jobd('jobs', ...create, '--url', url);
  await daemon.jobd('monitors', ...create);
  const yaml = assertEnds(await daemon.jobd('export'), 0, /^exported 1 job and 1 monitor/);
  assert.equal(yaml.match(/timezone: Asia\/Tokyo\n +every: 1h\n/g)?.length, 2, yaml);
  const file = write('all.yaml', yaml);
  assertEnds(await jobd({}, 'apply', '-f', file), 0, /0 deleted/);
  const without = write('without.yaml', yaml.replaceAll(/ +timezone: .*\n/g, ''));
  const diff = await jobd({}, 'diff', '-f', without);
  const shown = assertEnds(diff, 1, /2 to update/);
  assert.equal(shown.match(/^-timezone: Asia\/Tokyo$/gm)?.length, 2, shown);
  assertEnds(await jobd({}, 'apply', '-f', without), 0, /2 updated/);
  assertEnds(await jobd({}, 'diff', '-f', without), 0, /; 2 the same/);
});
