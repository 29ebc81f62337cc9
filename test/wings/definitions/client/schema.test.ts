/** The schema for editors and the parser agree: on the documentation, on exports, and on what both refuse. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import { ChannelInput } from '../../../../src/api/alerts/contract.ts';
import { JobInput } from '../../../../src/api/jobs/contract.ts';
import { MonitorInput } from '../../../../src/api/monitors/contract.ts';
import { emptyLoad, readDefinitions } from '../../../../src/wings/definitions/client/load.ts';
import { fileKinds } from '../../../../src/wings/definitions/client/kinds.ts';
import { problemText } from '../../../../src/wings/definitions/client/parse-file.ts';
import { fileSchema } from '../../../../src/wings/definitions/client/schema.ts';
import { channelKinds } from '../../../../src/domain/alerts/kinds/registry.ts';
import { runCommand } from '../../../support/running/command.ts';

const accepts = new Ajv({ strict: false, allErrors: true }).compile(fileSchema());

/** Values for the variables and files of the examples. */
const sources = {
  variable: (name: string): string =>
    name.endsWith('SECRET')
      ? `whsec_${Buffer.alloc(32).toString('base64')}`
      : name.endsWith('URL')
        ? 'https://example.com/'
        : 'value',
  file: (): string => '{}',
};

function problemsOf(text: string): string[] {
  const loaded = emptyLoad();
  readDefinitions(loaded, { path: 'x', text }, sources);
  return loaded.problems.map(problemText);
}

/** Asserts that the schema and the parser both accept a file, or both refuse it. */
function assertAgree(text: string, isAccepted: boolean): void {
  const problems = problemsOf(text);
  assert.equal(problems.length === 0, isAccepted, `${text}\n${problems.join('\n')}`);
  assert.equal(accepts(parse(text)), isAccepted, `${text}\n${JSON.stringify(accepts.errors)}`);
}

test('the examples of the documentation pass the schema and the parser', () => {
  const page = readFileSync(
    join(import.meta.dirname, '../../../../docs/config-as-code.md'),
    'utf8',
  );
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
  assert.ok(examples.length > 0);
  for (const example of examples) assertAgree(example, true);
  const sections = Object.keys(parse(examples[0] ?? '') as object);
  assert.deepEqual(sections, ['jobs', 'monitors', 'channels'], 'the first one is complete');
});

const valid: Record<string, string> = {
  jobs: 'url: https://example.com/',
  monitors: 'every: 5m',
  channels: 'type: slack, config: { url: https://example.com/ }',
};
const one = (section: string, fields: string): string => `${section}:\n  a: { ${fields} }\n`;

test('every field that the API takes has a name in files', () => {
  const inputs = { jobs: JobInput, monitors: MonitorInput, channels: ChannelInput };
  // Files say these otherwise: by `every`, by the key, and by `jobs` and `monitors`.
  const otherwise = new Set(['scheduleType', 'workspaceId', 'jobIds', 'monitorIds']);
  for (const { section, fields } of fileKinds) {
    const known = new Set(Object.values(fields).map(({ api }) => api));
    const missing = Object.keys(inputs[section].properties).filter((name) => !known.has(name));
    assert.deepEqual(
      missing.filter((name) => !otherwise.has(name)),
      [],
      section,
    );
  }
});

test('unknown and missing fields are refused by both, in every section', () => {
  assertAgree('job: {}\n', false);
  for (const { section, required, exclusive } of fileKinds) {
    const fields = valid[section] ?? assert.fail();
    assertAgree(one(section, fields), true);
    assertAgree(`${section}:\n`, true);
    assertAgree(one(section, `${fields}, unknown: 1`), false);
    assertAgree(one(section, `${fields}, adopt: x`), false);
    assertAgree(`${section}:\n  A b: { ${fields} }\n`, false);
    assertAgree(`${section}: []\n`, false);
    for (const name of required) {
      const { [name]: _, ...rest } = parse(`{ ${fields} }`) as Record<string, unknown>;
      assertAgree(JSON.stringify({ [section]: { a: rest } }), false);
    }
    for (const [first] of exclusive) {
      const base = section === 'jobs' ? `${fields}, ` : '';
      assertAgree(one(section, `${base}${first}: 5m, cron: 0 0 * * *`), false);
    }
  }
});

test('every kind of channel has its own fields of config', () => {
  for (const [type, { example, fields }] of Object.entries(channelKinds)) {
    const file = (config: object): string => JSON.stringify({ channels: { a: { type, config } } });
    assertAgree(file(example), true);
    assertAgree(file({ ...example, unknown: 'x' }), false);
    for (const [name, { isOptional }] of Object.entries(fields)) {
      const { [name]: _, ...rest } = example;
      if (!isOptional) assertAgree(file(rest), false);
    }
  }
});

test('values of the wrong form are refused by both', () => {
  const rows: [section: string, field: string, isAccepted: boolean][] = [
    ['jobs', 'retries: 3', false],
    ['jobs', 'retries: 2', true],
    ['jobs', 'timeout: soon', false],
    ['jobs', 'timeout: 20s', true],
    ['jobs', 'timeout: 20', true],
    ['jobs', 'method: GOT', false],
    ['jobs', 'paused: maybe', false],
    ['jobs', 'name: 012', true],
    ['jobs', 'name: [a]', false],
    ['jobs', 'headers: { X-A: [b] }', false],
    ['jobs', 'headers: { X-A: 1 }', true],
    ['monitors', 'grace: 1h', true],
    ['monitors', 'grace: -1', false],
    ['monitors', 'grace: 5', false],
    ['monitors', 'grace: "5"', false],
    ['monitors', 'grace: 0', true],
    ['channels', 'jobs: backup', false],
    ['channels', 'jobs: [backup, 1]', true],
    ['channels', 'monitors: [No Key]', false],
    ['channels', 'after-failures: 0', false],
    ['channels', 'enabled: true', true],
  ];
  for (const [section, field, isAccepted] of rows) {
    assertAgree(one(section, `${valid[section]}, ${field}`), isAccepted);
  }
});

test('jobd schema prints it, readable', async () => {
  const { exitCode, stdout } = await runCommand(['schema']);
  assert.equal(exitCode, 0);
  assert.deepEqual(JSON.parse(stdout), fileSchema());
  assert.ok(stdout.split('\n').length > 100, 'it can be kept in a repository');
});
