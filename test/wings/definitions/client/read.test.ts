/** Definition files: what they mean, how errors are reported, and that YAML brings no surprises. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Definition } from '../../../../src/wings/definitions/client/kinds.ts';
import {
  emptyLoad,
  loadDefinitions,
  readInput,
  readDefinitions,
} from '../../../../src/wings/definitions/client/load.ts';
import type { Load } from '../../../../src/wings/definitions/client/load.ts';
import { problemText } from '../../../../src/wings/definitions/client/parse-file.ts';
import { JobdError } from '../../../../src/domain/errors.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { each } from '../../../support/each.ts';

const variables: Record<string, string> = { TOKEN: 's3cret-value', HOST: 'example.com', EMPTY: '' };
const files: Record<string, string> = {
  'token.txt': 'from a file\n',
  'body.json': '{"a":"${TOKEN}"}\n',
};
files['signing.txt'] = `whsec_${Buffer.alloc(32).toString('base64')}\n`;
const sources = {
  variable: (name: string) => variables[name],
  file: (path: string) => files[path] ?? assert.fail(`no file ${path}`),
};

function load(text: string, path = 'jobs.yaml'): Load {
  const loaded = emptyLoad();
  readDefinitions(loaded, { path, text }, sources);
  return loaded;
}

/** The only definition of a file without errors. */
function one(text: string): Definition {
  const { definitions, problems } = load(text);
  assert.deepEqual(problems.map(problemText), []);
  return definitions[0] ?? assert.fail();
}

const job = (lines: string): string => `jobs:\n  a:\n    url: https://example.com/\n${lines}`;

const channel = (lines: string): string => `channels:\n  a:\n    ${lines}\n`;
const slack = (line: string): string =>
  channel(`type: slack\n    config: { url: 'https://example.com/' }\n    ${line}`);

test('a definition becomes exactly the API input that the file contains', () => {
  const { key, input: full } = one(`jobs:
  nightly:
    name: Nightly backup
    url: https://example.com/backup
    method: POST
    headers: { X-A: b, Content-Type: text/plain }
    body: |
      line 1
      line 2
    cron: 30 2 * * *
    timezone: UTC
    timeout: 10s
    retries: 2
    paused: true
    notes: n
`);
  assert.equal(key, 'nightly');
  assert.deepEqual(full, {
    name: 'Nightly backup',
    url: 'https://example.com/backup',
    method: 'POST',
    headers: { 'X-A': 'b', 'Content-Type': 'text/plain' },
    body: 'line 1\nline 2\n',
    cronExpr: '30 2 * * *',
    timezone: 'UTC',
    timeoutSeconds: 10,
    retries: 2,
    paused: true,
    notes: 'n',
  });
  assert.deepEqual(one(job('')).input, { name: 'a', url: 'https://example.com/' });
  const { input: period } = one(job('    every: 5m\n'));
  assert.deepEqual([period['scheduleType'], period['periodSeconds']], ['period', 300]);
});

test('whether a time has passed is left to the server', () => {
  for (const at of ['2020-01-01T09:00:00Z', '2030-01-01 09:00']) {
    const { input } = one(
      `jobs:\n  a:\n    name: a\n    url: https://example.com/\n    at: '${at}'\n`,
    );
    assert.equal(input['runAt'], at);
  }
});

test('monitors and channels are read like jobs, and each section has its own keys', () => {
  const { definitions, problems } = load(`channels:
  a:
    name: Ops
    type: webhook
    config: { url: 'https://\${HOST}/', secret: file:signing.txt }
    jobs: [b, a, b]
    monitors: []
    after-failures: 3
    enabled: false
monitors:
  a: { every: 10m, grace: 1h, paused: true, notes: n }
  b:
jobs:
  a: { url: https://example.com/ }
`);
  assert.deepEqual(problems.map(problemText), []);
  const inputs = definitions.map(({ kind, key, input }) => [`${kind.noun} ${key}`, input]);
  assert.deepEqual(Object.fromEntries(inputs), {
    'job a': { name: 'a', url: 'https://example.com/' },
    'monitor a': {
      name: 'a',
      scheduleType: 'period',
      periodSeconds: 600,
      graceSeconds: 3_600,
      paused: true,
      notes: 'n',
    },
    'monitor b': { name: 'b' },
    'channel a': {
      name: 'Ops',
      type: 'webhook',
      config: { url: 'https://example.com/', secret: files['signing.txt']?.trim() },
      jobs: ['b', 'a'],
      monitors: [],
      afterFailures: 3,
      enabled: false,
    },
  });
});

test('JSON is read like YAML, with positions', () => {
  const text = '{"jobs": {"a": {"url": "https://example.com/", "retries": 1}}}';
  assert.equal(one(text).input['retries'], 1);
  const [problem] = load(text.replace('1}', '9}')).problems;
  assert.equal(problem?.place.column, 59);
});

test('plain values are text as written', () => {
  const { input: read } = one(
    job(`    method: POST
    name: no
    body: 012
    notes: 1.10
    headers: { X-Version: 1.10, X-Hex: 0x1F, X-On: on, X-Date: 2026-01-01, X-True: true }
`),
  );
  assert.deepEqual([read.name, read.body, read.notes], ['no', '012', '1.10']);
  const values = ['1.10', '0x1F', 'on', '2026-01-01', 'true'];
  assert.deepEqual(Object.values(read.headers ?? {}), values);
});

test('variables and files are inserted, without recursion, and $$ is a literal $', () => {
  const {
    input: read,
    secrets,
    written,
  } = one(`jobs:
  a:
    url: https://\${HOST}/
    method: POST
    headers:
      Authorization: Bearer \${TOKEN}
      X-File: file:token.txt
      X-Literal: $\${TOKEN} $x \${HOST}
      X-Colon: $file:token.txt
    body: file:body.json
`);
  assert.equal(read.url, 'https://example.com/');
  assert.deepEqual(read.headers, {
    Authorization: 'Bearer s3cret-value',
    'X-File': 'from a file',
    'X-Literal': '${TOKEN} $x example.com',
    'X-Colon': 'file:token.txt',
  });
  assert.equal(read.body, files['body.json'], 'a file is taken as it is');
  assert.deepEqual([...written.keys()], ['url', 'body']);
  assert.equal(written.get('url'), 'https://${HOST}/');
  assert.ok(secrets.includes('s3cret-value'));
});

test('all errors are reported with their positions', () => {
  const rows: [text: string, sentence: RegExp][] = [
    ['', /^jobs\.yaml:1:1: the file must have jobs:/],
    ['job:\n  a: {}\n', /^jobs\.yaml:1:1: job is not known here, did you mean jobs\?/],
    ['- a\n', /^jobs\.yaml:1:1: the file must have jobs:/],
    [
      'jobs:\n  - url: x\n',
      /^jobs\.yaml:2:3: jobs must be a mapping of keys to definitions, got a list/,
    ],
    ['jobs:\n  a: 5\n', /^jobs\.yaml:2:6: a must have fields/],
    ['jobs:\n  a: {}\n', /^jobs\.yaml:2:3: a has no url/],
    ['jobs:\n  A b: { url: https://example.com/ }\n', /:2:3: a key must be 1 to 63/],
    ['jobs: {}\n---\njobs: {}\n', /a file holds one document/],
    ['jobs:\n  a: "x\n', /not valid YAML: Missing closing "quote/],
    ['jobs: {}\njobs: {}\n', /:2:1: jobs is there twice/],
    [
      job('  a:\n    url: https://example.com/\n'),
      /:4:3: the key a is already defined at jobs\.yaml:2:3$/,
    ],
    [job('    retires: 1\n'), /^jobs\.yaml:4:5: retires is not a field, did you mean retries\?$/],
    [
      job('    reportWithinSeconds: 60\n'),
      /reportWithinSeconds is not a field, did you mean report-within\?$/,
    ],
    [job('    schedule: x\n'), /schedule is not a field, known are adopt, name, url/],
    [job('    retries: 1\n    retries: 2\n'), /:5:5: retries is there twice/],
    [job('    retries: 3\n'), /:4:14: retries must be between 0 and 2, got 3/],
    [job('    retries: 0x1\n'), /retries must be a whole number, got 0x1/],
    [job('    paused: yes\n'), /paused must be true or false, got yes/],
    [job('    timeout: 2m\n'), /:4:14: timeout must be between 1s and 1m, got 2m$/],
    [job('    timeout: 120\n'), /:4:14: timeout must be between 1s and 1m, got 2m$/],
    [job('    every: 30s\n'), /every must be between 1m and 365d, got 30s$/],
    [job('    every: 600\n'), /:4:12: every needs a unit: write 600s, 600m or 600h$/],
    [job('    "report-within": "5"\n'), /report-within needs a unit: write 5s, 5m or 5h$/],
    [job('    every: 5m\n    cron: 5 * * * *\n'), /:4:12: a: use either every or cron, not both$/],
    [job('    cron: 5 * * * *\n    at: 2990-01-01\n'), /:5:9: a: use either at or cron, not both$/],
    [job('    every: 5m\n    after: b\n'), /:5:12: a: use either after or every, not both$/],
    [job('    at: 2990-01-01\n    after: b\n'), /:4:9: a: use either at or after, not both$/],
    [job('    cron: 5 * * *\n'), /:4:11: cron/],
    [job('    cron: 0 0 30 2 *\n'), /:4:11: cron/],
    [job('    timezone: Mars\n'), /timezone must be an IANA name/],
    [job('    method: get\n'), /method must be one of GET/],
    [job('    body: x\n'), /:4:11: body is sent only with POST/],
    [job('    name:\n'), /name must be a text, got nothing/],
    [job('    name: [a]\n'), /name must be a text, got a list/],
    [job('    notes: !!binary aGk=\n'), /:4:21: the tag !!binary means nothing here/],
    [job('    headers: x\n'), /headers must be a mapping of names to values/],
    [job('    headers: { Host: x }\n'), /:4:16: headers must not contain Host/],
    [job('    headers: { X-A: "a\\nb" }\n'), /headers: the value of X-A must be printable/],
    [job('    headers: { X-A: "${MISSING}" }\n'), /headers\.X-A: the variable MISSING is not set/],
    [job('    headers: { X-A: "${EMPTY}" }\n'), /the variable EMPTY is not set, or empty/],
    [job('    headers: { X-A: "${TOKEN:-x}" }\n'), /\$\{TOKEN:-x\} does not name a variable/],
    [job('    adopt: x\n'), /adopt must be the id of a job/],
    [
      job('    after: ""\n'),
      /:4:12: after must be the key, the name or the id of a job, got nothing/,
    ],
    [job('    after-on: failed\n'), /:4:15: after-on needs after/],
    ['monitor:\n  a:\n', /monitor is not known here, did you mean monitors\?/],
    ['monitors:\n  a: x\n', /:2:6: a must have fields, name: …/],
    ['monitors:\n  a: { url: x }\n', /:2:8: url is not a field, known are adopt, name, cron/],
    ['monitors:\n  a: { grace: 2d }\n', /:2:15: grace must be between 0s and 1d, got 2d$/],
    ['monitors:\n  a: { every: 1s }\n', /:2:15: every must be between 1m and 365d, got 1s$/],
    ['{"monitors": {"a": {"grace": 5}}}', /grace needs a unit: write 5s, 5m or 5h$/],
    ['monitors:\n  a: { cron: 0 0 30 2 * }\n', /:2:14: cron/],
    ['channels:\n  a: { config: { url: x } }\n', /:2:3: a has no type/],
    [channel('type: slck\n    config: {}'), /type must be one of webhook, email, slack.*got slck/],
    [channel('type: slack'), /a has no config/],
    [
      channel('type: slack\n    config: { uri: x }'),
      /:4:15: config\.uri is not a field of a slack/,
    ],
    [channel('type: ntfy\n    config: {}'), /:4:13: config\.url is required for a ntfy channel/],
    [slack('jobs: a'), /jobs must be a list, got a text/],
    [slack('jobs: [A b]'), /:5:12: jobs must be keys of jobs, and a key must be 1 to 63/],
    [slack('monitors: [[a]]'), /monitors must be a text, got a list/],
    [slack('after-failures: 0'), /:5:21: after-failures must be between 1 and 100, got 0/],
    [slack('enabled: no'), /enabled must be true or false, got no/],
  ];
  for (const [text, sentence] of rows) {
    const { problems } = load(text);
    assert.equal(problems.length, 1, `${text}: ${problems.map(problemText).join('\n')}`);
    assert.match(problemText(problems[0] ?? assert.fail()), sentence, text);
  }
  const many = load(job('    retries: 9\n    crn: x\n    method: get\n')).problems;
  assert.deepEqual(
    many.map(({ place }) => place.line),
    [4, 5, 6],
  );
});

test('no error message shows an inserted value', () => {
  variables['BAD'] = 'ftp://user:s3cret-value@host/';
  variables['LINES'] = 's3cret-value\nand more';
  const text = 'jobs:\n  a:\n    url: ${BAD}\n    headers: { X-A: "${LINES}" }\n';
  const sentences = load(text).problems.map(problemText).join('\n');
  assert.match(sentences, /url must begin with http/);
  assert.match(sentences, /the value of X-A must be printable/);
  assert.doesNotMatch(sentences, /s3cret/);
  const hidden = load(channel('type: slack\n    config: { url: "${BAD}" }')).problems;
  assert.match(hidden.map(problemText).join('\n'), /config\.url must begin with http/);
  assert.doesNotMatch(hidden.map(problemText).join('\n'), /s3cret/);
});

test('aliases work, and cannot expand a small file into a large one', () => {
  const shared = `jobs:
  a: { url: https://example.com/, headers: &shared { X-A: b } }
  b: { url: https://example.com/, headers: *shared }
`;
  assert.deepEqual(load(shared).definitions[1]?.input['headers'], { 'X-A': 'b' });
  const headers = Array.from({ length: 2_000 }, (_, index) => `X-${index}: a`).join(', ');
  const jobs = Array.from({ length: 2_000 }, (_, index) => `  k${index}: { headers: *h }`).join(
    '\n',
  );
  const { problems } = load(`jobs:\n  a: { headers: &h { ${headers} } }\n${jobs}\n`);
  assert.ok(problems.some(({ sentence }) => /more than 200000 values/.test(sentence)));
  const again = 'jobs:\n  a: { body: &b x }\n  b: { body: *b, name: &b y }\n  c: { body: *b }\n';
  assert.deepEqual(
    load(again).problems.filter(({ sentence }) => /alias/.test(sentence)),
    [],
  );
  const circle = load('jobs: &a\n  a: *a\n').problems;
  assert.ok(circle.length > 0);
});

test('a plain value that begins with a sign of YAML is said to need quotes, once, without a secret', () => {
  const rows = [
    ['cron: */5 * * * * # often', "cron: '*/5 * * * *'"],
    ['cron: @daily', "cron: '@daily'"],
    ["cron: * 1 * * '", "cron: '* 1 * * '''"],
    ['name: `s3cret`', "name: '`…'"],
    ['body: %s3cret', "body: '%…'"],
    ['notes: &s3cret *y', "notes: '&…'"],
    ['also:\n    - @x', "- '@…'"],
  ] as const;
  for (const [line, quoted] of rows) {
    const all = load(job(`    ${line}\n`)).problems.map(problemText);
    assert.equal(all.length, 1, line);
    assert.ok(all[0]?.endsWith(`: not valid YAML: put the value in quotes: ${quoted}`), all[0]);
  }
  const two = load(job('    cron: @daily\n    body: %s3cret\n')).problems.map(problemText);
  assert.deepEqual([two.length, two.join('\n').includes('s3cret')], [2, false]);
});

test('a file that is broken all over has its first problems listed', () => {
  const broken = load('a: @b\n'.repeat(5_000)).problems.map(({ sentence }) => sentence);
  assert.equal(broken.length, 21);
  assert.match(broken.join('\n'), /^not valid YAML: [^]*and \d+ more problems of YAML$/);
});

test('a file that is nested too deeply has this one problem', () => {
  for (const text of ['['.repeat(200_000), `jobs: ${'{a: '.repeat(100_000)}`]) {
    const problems = load(text).problems.map(({ sentence }) => sentence);
    assert.deepEqual(problems, ['it is nested too deeply']);
  }
});

const variable = (): undefined => undefined;

async function* endlessInput(): AsyncIterable<Uint8Array> {
  for (;;) yield Buffer.alloc(65_536, 'x');
}

test('directories are read in order, ignoring files that are not definitions', async (t) => {
  const folder = temporaryDirectory(t);
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('b.yml', 'jobs:\n  b: { url: https://example.com/, headers: { X-A: file:secret } }\n');
  write('a.yaml', 'jobs:\n  a: { url: https://example.com/ }\n');
  write('c.json', '{"jobs": {"c": {"url": "https://example.com/"}}}');
  write('secret', 'x\r\n');
  write('.hidden.yaml', 'x');
  write('jobd.schema.json', '{}');
  const { definitions, problems } = await loadDefinitions([folder], variable);
  assert.deepEqual(problems, []);
  assert.deepEqual(each(definitions, 'key'), ['a', 'b', 'c']);
  assert.deepEqual(
    definitions[1]?.input['headers'],
    { 'X-A': 'x' },
    'a line break at the end is left out',
  );

  write('d.yaml', 'jobs:\n  a: { url: https://example.com/ }\n');
  const twice = await loadDefinitions([folder], variable);
  const [first, second] = [join(folder, 'a.yaml'), join(folder, 'd.yaml')];
  assert.deepEqual(twice.problems.map(problemText), [
    `${second}:2:3: the key a is already defined at ${first}:2:3`,
  ]);
  write('large.yaml', `# ${'x'.repeat(1024 * 1024)}`);
  const refused = (path: string, words: RegExp) =>
    assert.rejects(loadDefinitions([path], variable), (error) => {
      assert.ok(error instanceof JobdError && error.exitCode === 2);
      assert.match(error.message, words);
      return true;
    });
  await refused(join(folder, 'large.yaml'), /large\.yaml is over 1 MiB/);
  await assert.rejects(
    async () => readInput(endlessInput()),
    /standard input is over 1 MiB: divide/,
  );
  // A device has no end.
  await refused('/dev/zero', /\/dev\/zero is over 1 MiB/);
  await refused(join(folder, 'none.yaml'), /there is no file \S+none\.yaml$/);
  await refused(temporaryDirectory(t), /holds no \*\.yaml/);
  writeFileSync(join(folder, 'e.yaml'), Buffer.from([0xff, 0xfe]));
  await refused(join(folder, 'e.yaml'), /is not UTF-8/);
});
