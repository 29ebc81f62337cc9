/** Labels in definition files: of one, of all in a file, and the selector of a channel. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emptyLoad, readDefinitions } from '../../../../src/wings/definitions/client/load.ts';
import { problemText } from '../../../../src/wings/definitions/client/parse-file.ts';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';

function load(text: string) {
  const loaded = emptyLoad();
  const sources = { variable: () => 'x', file: () => 'x' };
  readDefinitions(loaded, { path: 'jobs.yaml', text }, sources);
  const problems = loaded.problems.map(problemText);
  return { problems, labels: loaded.definitions.map(({ input }) => input['labels']) };
}

const url = 'url: https://example.com/';

test('labels of a file are those of all its jobs and monitors, and own values win', () => {
  const { problems, labels } = load(`labels: { client: acme, env: prod }
jobs:
  a:
    ${url}
    labels: { env: dev, team: "\${X}" }
  b: { ${url} }
monitors:
  c: { every: 5m }
  d:
channels:
  chat: { type: slack, config: { url: https://example.com/ }, selector: client=acme }
`);
  const all = { client: 'acme', env: 'prod' };
  assert.deepEqual(problems, []);
  // Their texts are as they are written.
  assert.deepEqual(labels, [{ ...all, env: 'dev', team: '${X}' }, all, all, all, undefined]);
});

test('a label that breaks a rule is named at its place, once', () => {
  const two = `jobs:\n  a: { ${url} }\n  b: { ${url} }\n`;
  const [problem, ...others] = load(`labels: { Client: x }\n${two}`).problems;
  assert.match(problem ?? '', /^jobs\.yaml:1:11: labels must have keys of .*, got "Client"$/);
  assert.deepEqual(others, []);
  const own = load(`jobs:\n  a:\n    ${url}\n    labels:\n      env: ''\n`).problems;
  assert.match(own[0] ?? '', /^jobs\.yaml:5:7: labels\.env must be 1 to 100 characters/);
  assert.match(
    load(`labels: x\n${two}`).problems[0] ?? '',
    /^jobs\.yaml:1:9: labels must be a mapping/,
  );
  assert.match(load(`label: { a: b }\n${two}`).problems[0] ?? '', /did you mean labels\?/);
  const channel = `channels:\n  a: { type: slack, config: { url: https://example.com/ }, selector: 'a = b' }\n`;
  assert.match(load(channel).problems[0] ?? '', /selector must be terms such as client=acme/);
});

test('labels and selectors are applied, compared and exported', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const text = `jobs:
  a:
    ${url}
    cron: 0 3 * * *
    timezone: UTC
    labels:
      client: acme
      env: prod
channels:
  chat:
    type: slack
    config:
      url: https://example.com/
    selector: client=acme
`;
  const file = write('all.yaml', text);
  assertEnds(await jobd({}, 'apply', '-f', file), 0, /^2 created/);
  assertEnds(await jobd({}, 'diff', '-f', file), 0, /; 2 the same/);
  const exported = assertEnds(await daemon.jobd('export'), 0, /^exported 1 job and 1 channel/);
  assert.match(exported, /\n {4}labels:\n {6}client: acme\n {6}env: prod\n/);
  assert.match(exported, /\n {4}selector: client=acme\n/);
  const other = write(
    'other.yaml',
    text.replace('prod', 'dev').replace('selector: client=acme', 'selector: env'),
  );
  const shown = assertEnds(await jobd({}, 'diff', '-f', other), 1, /2 to update/);
  assert.match(shown, /^- {2}env: prod\n\+ {2}env: dev$/m);
  assert.match(shown, /^-selector: client=acme\n\+selector: env$/m);
  const none = write('none.yaml', text.replace(/ {4}labels:\n(?: {6}.*\n)+?(?=channels)/, ''));
  assertEnds(await jobd({}, 'apply', '-f', none), 0, /1 updated/);
  assert.doesNotMatch((await daemon.jobd('jobs', 'get', 'a', '--json')).stdout, /labels/);
});
