/** `jobd demo`: a target whose paths do what it says, and lines that let jobd call it. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { programName } from '../../../src/cli/operator/program-name.ts';
import { serveConfig } from '../../../src/settings/config.ts';
import { each } from '../../support/each.ts';
import { program, runCommand, serveCommand, startCommand } from '../../support/running/command.ts';
import { openSocket } from '../../support/hostile/raw.ts';
import { until } from '../../support/until.ts';

/** Starts it on a free port. It ends with the test. */
async function startDemo(t: TestContext) {
  const demo = startCommand(t, ['demo', '--port', '0']);
  let [said, printed] = ['', ''];
  demo.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  demo.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await until('the first lines', () => said.endsWith('\n\n'));
  const [, url = ''] = /^listening on (http:\S+), Ctrl-C stops it$/m.exec(said) ?? [];
  const calls = (): Record<string, unknown>[] =>
    printed
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  return { demo, url, said, calls };
}

test('each path does what the first lines say, and each call is printed', async (t) => {
  const { demo, url, said, calls } = await startDemo(t);
  const statusOf = async (path: string): Promise<number> => (await fetch(url + path)).status;
  assert.equal(await statusOf('/ok?a=1'), 200);
  assert.deepEqual([await statusOf('/flaky'), await statusOf('/flaky')], [200, 503]);
  assert.deepEqual([await statusOf('/flaky'), await statusOf('/down')], [200, 503]);
  const none = await fetch(`${url}/toString`);
  assert.equal(none.status, 404);
  assert.match(await none.text(), /^ {2}\/ok +answers 200\n/);
  const echo = await fetch(`${url}/echo?q=1`, {
    method: 'POST',
    headers: { 'x-service-run-id': 'the-run' },
    body: 'hello',
  });
  assert.match(await echo.text(), /^POST \/echo\?q=1\n[\s\S]*\n\nhello\n$/);
  assert.equal(echo.headers.get('x-content-type-options'), 'nosniff');
  const impatient = await openSocket(url);
  impatient.write(`GET /slow HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`);
  // It has been read once a later connection is answered.
  assert.equal(await statusOf('/ok'), 200);
  impatient.destroy();
  await until('all calls', () => calls().length === 9);
  assert.deepEqual(each(calls(), 'method', 'path', 'status', 'runId'), [
    ['GET', '/ok', 200, null],
    ['GET', '/flaky', 200, null],
    ['GET', '/flaky', 503, null],
    ['GET', '/flaky', 200, null],
    ['GET', '/down', 503, null],
    ['GET', '/toString', 404, null],
    ['POST', '/echo', 200, 'the-run'],
    ['GET', '/ok', 200, null],
    ['GET', '/slow', null, null],
  ]);
  for (const path of ['/ok', '/slow', '/later', '/flaky', '/down', '/echo']) {
    assert.match(said, new RegExp(`^  ${path} +answers `, 'm'));
  }

  const taken = await runCommand(['demo', '--port', new URL(url).port]);
  assert.equal(taken.exitCode, 1);
  assert.match(taken.stderr, /^jobd: 127\.0\.0\.1:\d+ is taken by another program: .*--port/);

  demo.kill('SIGINT');
  assert.deepEqual(await once(demo, 'exit'), [130, null]);
});

test('the lines that it prints let jobd call it', async (t) => {
  const { url, said, calls } = await startDemo(t);
  const typed = program.length === 1 ? program[0] : 'bin/jobd';
  assert.ok(said.includes(`\n  ${typed} serve `), said);
  assert.equal(programName(), 'bin/jobd', 'on the Node of a checkout');
  const [, target = ''] = / serve --allow-target (\S+)$/m.exec(said) ?? [];
  assert.equal(target, `127.0.0.1:${new URL(url).port}`);
  assert.equal(serveConfig({ data: '/', allowTarget: [target] }, {}).allowTargets.length, 1);

  const { jobd } = await serveCommand(t);
  const create = [...said.matchAll(/ (jobs create .*)$/gm)].map(([, line = '']) => line);
  assert.equal(create.length, 4);
  for (const line of create) {
    const made = await jobd(...line.split(' '));
    assert.equal(made.exitCode, 0, made.stderr);
  }
  const ran = await jobd('jobs', 'run', 'ok', '--wait', '--json');
  assert.equal(ran.exitCode, 0, ran.stderr);
  await until('the call', () => calls().length > 0);
  assert.equal(calls()[0]?.['runId'], JSON.parse(ran.stdout).run.id);
});

test('/later reports its end where the call says, and another job runs after that', async (t) => {
  const { said, url } = await startDemo(t);
  const { jobd } = await serveCommand(t);
  for (const [, line = ''] of said.matchAll(/ (jobs create --name (?:later|then) .*)$/gm)) {
    const made = await jobd(...line.split(' '));
    assert.equal(made.exitCode, 0, made.stderr);
  }
  const ran = await jobd('jobs', 'run', 'later', '--wait', '--json');
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.equal(JSON.parse(ran.stdout).run.httpStatus, 202);
  await until('the run after it', async () => {
    const { stdout } = await jobd('runs', 'list', 'then', '--status', 'success', '--json');
    return JSON.parse(stdout).runs.length === 1;
  });
  assert.equal((await fetch(`${url}/later`)).status, 202, 'without a URL to report to');
});

test('a body of more than 64 KiB is not kept, and another Host is refused', async (t) => {
  const { url } = await startDemo(t);
  const echo = async (bytes: number) =>
    await fetch(`${url}/echo`, { method: 'POST', body: 'x'.repeat(bytes) });
  assert.equal((await echo(65_536)).status, 200);
  const refused = await echo(20 * 1_048_576);
  assert.deepEqual(
    [refused.status, await refused.text()],
    [413, 'the body is longer than 64 KiB\n'],
  );
  const statusFor = async (host: string): Promise<number | undefined> => {
    const asked = get(`${url}/ok`, { headers: { host } });
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode;
  };
  const { port } = new URL(url);
  assert.equal(await statusFor(`127.0.0.1:${port}`), 200);
  assert.equal(await statusFor(`localhost:${port}`), 200);
  assert.equal(await statusFor(`rebound.example:${port}`), 421);
  assert.equal(await statusFor('127.0.0.1:1'), 421);
});
