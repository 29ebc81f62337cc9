/** Whatever `apply` would change of a job, monitor or channel, `diff` counts and shows. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileKinds } from '../../../../src/wings/definitions/client/kinds.ts';
import type { Input, ManagedItem } from '../../../../src/wings/definitions/client/kind.ts';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';

const writing = { defaultTimeoutSeconds: 30 };
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
  ['jobs', { name: 'a', url, ...after }, ['periodSeconds']],
  ['monitors', { name: 'a', ...cron }, ['periodSeconds']],
  ['monitors', { name: 'a', ...period }, ['cronExpr']],
  ['channels', slack, ['jobIds', 'monitorIds']],
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
  awaitSeconds: 60,
  after: { jobId: id.replace('01', '02'), on: 'success' },
  onResult: 'https://example.net/',
  notes: 'kept',
  paused: true,
  sign: 'oidc',
  audience: 'https://example.com',
  graceSeconds: 77,
  enabled: false,
  jobs: [],
  monitors: [],
  afterFailures: 3,
  alsoOn: ['missed'],
  remindEverySeconds: 3_600,
  type: 'discord',
  config: { url, token: 'x' },
};

for (const [section, input, unused] of bases) {
  const kind = fileKinds.find((one) => one.section === section) ?? assert.fail(section);

  test(`each field of ${section} like ${JSON.stringify(input)} is shown when it changes`, () => {
    const whole = kind.whole(input, writing);
    const shownOf = (document: Input): string =>
      JSON.stringify(kind.values('key', document, writing), (_, value: unknown) =>
        value instanceof Map ? [...value] : value,
      );
    for (const name of Object.keys(whole).filter((field) => !unused.includes(field))) {
      // The kind of a schedule comes with what it counts.
      const other =
        name === 'scheduleType'
          ? whole[name] === 'cron'
            ? { scheduleType: 'period', periodSeconds: 60 }
            : { scheduleType: 'cron', cronExpr: '1 1 * * *' }
          : { [name]: others[name] ?? assert.fail(`give another value of ${name}`) };
      const document: Input = { ...whole, ...other };
      assert.notEqual(shownOf(document), shownOf(whole), name);
      if (name === 'type') continue;
      const hidden = document[kind.hidden ?? ''] ?? {};
      const item = { document, hiddenNames: Object.keys(hidden) } as unknown as ManagedItem;
      assert.notDeepEqual(kind.compare(item, input, writing).changedFields, [], name);
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
