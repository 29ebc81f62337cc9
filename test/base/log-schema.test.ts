/** The lines of the log follow the schema that parsers may rely on (contrib/log-line.schema.json). */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { startSink } from '../support/fakes/sink.ts';
import { serveCommand, type ServedDaemon } from '../support/running/command.ts';
import { until } from '../support/until.ts';

const root = join(import.meta.dirname, '..', '..');
const schema = JSON.parse(readFileSync(join(root, 'contrib/log-line.schema.json'), 'utf8'));
const isLine = new Ajv({ allErrors: true, strict: false }).compile(schema);

test('the lines of a jobd that runs follow the schema', async (t) => {
  const sink = await startSink(t, (response, { path }) => {
    response.writeHead(path === '/down' ? 500 : 204).end();
  });
  const { jobd, log, stop } = servedWith(await serveCommand(t));
  await jobd(
    'channels',
    'create',
    '--name',
    'ops',
    '--type',
    'webhook',
    '--url',
    `${sink.url}/hook`,
  );
  for (const name of ['good', 'down\n\u001b[31m"']) {
    const path = name === 'good' ? 'good' : 'down';
    await jobd('jobs', 'create', '--name', name, '--url', `${sink.url}/${path}`, '--every', '1h');
    await jobd('jobs', 'run', name);
  }
  await jobd('monitors', 'create', '--name', 'nightly', '--every', '1h');
  const has = (...messages: string[]) => messages.every((one) => log().includes(`"msg":"${one}"`));
  await until('both runs', () => log().split('"msg":"run ended"').length === 3);
  await stop('SIGTERM');
  assert.ok(has('jobd started', 'changed', 'run ended', 'jobd stopped'), log());
  for (const text of log().trimEnd().split('\n')) {
    const line: unknown = JSON.parse(text);
    assert.ok(isLine(line), `${text}\n${JSON.stringify(isLine.errors)}`);
  }
  const [unsuccessful = ''] = log()
    .split('\n')
    .filter((line) => line.includes('"status":"failed"'));
  assert.match(unsuccessful, /^\{"level":40,.*"httpStatus":500,.*"error":"http/);
});

/** A daemon whose commands must succeed. */
function servedWith(served: ServedDaemon) {
  const jobd = async (...args: string[]): Promise<void> => {
    const { exitCode, stderr } = await served.jobd(...args);
    assert.equal(exitCode, 0, `${args.join(' ')}: ${stderr}`);
  };
  return { jobd, log: () => served.log(), stop: (signal: NodeJS.Signals) => served.stop(signal) };
}

test('the schema refuses lines that lack a field, or have another type', () => {
  const line = {
    level: 40,
    time: '2026-03-02T02:00:01.123Z',
    job: 'backup',
    jobId: 'j',
    runId: 'r',
    status: 'failed',
    httpStatus: 500,
    durationMs: 2_104,
    attempts: 1,
    error: 'http: 500',
    latenessMs: 3,
    msg: 'run ended',
  };
  assert.ok(isLine(line), JSON.stringify(isLine.errors));
  assert.ok(isLine({ ...line, added: 'later' }));
  for (const name of Object.keys(line)) {
    const { [name as 'msg']: _, ...rest } = line;
    assert.ok(!isLine(rest), `without ${name}`);
  }
  const wrong = { httpStatus: '500', durationMs: 1.5, jobId: 7, level: 'warn', startedAt: 'today' };
  for (const [name, value] of Object.entries(wrong)) {
    assert.ok(!isLine({ ...line, [name]: value }), name);
  }
});

test('the schema names events that the page has', () => {
  const page = readFileSync(join(root, 'docs/logs.md'), 'utf8');
  const named: string[] = schema.allOf.flatMap(
    ({
      if: { properties },
    }: {
      if: { properties: { msg: { const?: string; enum?: string[] } } };
    }) => properties.msg.enum ?? [properties.msg.const],
  );
  assert.ok(named.length > 6);
  for (const message of named) assert.ok(page.includes(`| \`${message}\``), message);
});
