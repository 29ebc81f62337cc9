/**
 * `jobd ping URL -- command` and `jobd monitors`, as used in a crontab, with the packaged
 * executable.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { test, type TestContext } from 'node:test';
import type { Ping } from '../../src/api/monitors/contract.ts';
import { each } from '../support/each.ts';
import { startTestDaemon } from '../support/running/daemon.ts';
import { executable, jobd, notPackaged } from '../support/running/executable.ts';
import { monitorsOf, type PingedMonitor } from '../support/records/monitor.ts';
import { startSink } from '../support/fakes/sink.ts';

const PATH = '/usr/bin:/bin';
const nowhere = 'http://127.0.0.1:1/ping/nobody';

async function setup(t: TestContext) {
  const daemon = await startTestDaemon(t);
  const { createMonitor, readMonitor, readPings } = monitorsOf(daemon);
  const monitor = await createMonitor();
  const seen = async (): Promise<[kind: string, exitCode: number | null, body: string | null][]> =>
    (await readPings(monitor.id)).map(({ kind, exitCode, body }) => [kind, exitCode, body]);
  return { daemon, url: monitor.pingUrl, seen, read: () => readMonitor(monitor.id) };
}

/** Runs `jobd ping …` with this input. */
async function ping(args: string[], input = '') {
  const child = spawn(executable, ['ping', ...args], { env: { PATH }, timeout: 60_000 });
  child.stdin.on('error', () => {}).end(input);
  const ended = once(child, 'close') as Promise<[number | null, string | null]>;
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [exitCode, signal] = await ended;
  return { exitCode, signal, stdout, stderr };
}

const sh = (script: string): string[] => ['--', 'sh', '-c', script];

test('jobd ping', { skip: notPackaged }, async (t) => {
  await t.test(
    'a command keeps its streams, and its exit code is passed on and reported',
    async (nested) => {
      const { url, seen, read } = await setup(nested);
      const ran = await ping([url, ...sh('cat; echo words >&2; exit 3')], 'data');
      assert.deepEqual(ran, { exitCode: 3, signal: null, stdout: 'data', stderr: 'words\n' });
      assert.deepEqual(await seen(), [
        ['fail', 3, null],
        ['start', null, null],
      ]);
      const { status, lastDurationMs } = await read();
      assert.equal(status, 'down');
      assert.ok(lastDurationMs !== null && lastDurationMs >= 0);
      assert.equal((await ping([url, ...sh('exit 0')])).exitCode, 0);
      assert.equal((await read()).status, 'up');
    },
  );

  await t.test('a command ended by a signal exits with 128 plus its number', async (nested) => {
    const { url, seen } = await setup(nested);
    assert.equal((await ping([url, ...sh('kill -KILL $$')])).exitCode, 137);
    assert.deepEqual((await seen())[0], ['fail', 137, null]);
  });

  await t.test('SIGTERM and SIGINT reach the command', async (nested) => {
    const { url, seen } = await setup(nested);
    for (const [signal, code] of [
      ['SIGTERM', 41],
      ['SIGINT', 42],
    ] as const) {
      const script =
        "trap 'exit 41' TERM; trap 'exit 42' INT; echo ready; while :; do sleep 0.1; done";
      const child = spawn(executable, ['ping', url, ...sh(script)], { env: { PATH } });
      nested.after(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      await once(child.stdout, 'data');
      child.kill(signal);
      assert.deepEqual(await ended, [code, null], signal);
      assert.deepEqual((await seen())[0], ['fail', code, null]);
    }
  });

  await t.test('a missing command is reported as 127', async (nested) => {
    const { url, seen } = await setup(nested);
    const ran = await ping([url, '--', 'no-such-command']);
    assert.equal(ran.exitCode, 127);
    assert.match(ran.stderr, /^jobd: cannot run the command: .*no-such-command.*\n$/);
    assert.deepEqual((await seen())[0], ['fail', 127, null]);
  });

  await t.test('the end of the output is only sent on request', async (nested) => {
    const { url, seen } = await setup(nested);
    const script = "printf 'begin'; printf 'é%.0s' $(seq 3000); echo end >&2";
    const ran = await ping(['--output', url, ...sh(script)]);
    assert.equal(ran.stdout, `begin${'é'.repeat(3_000)}`);
    assert.equal(ran.stderr, 'end\n');
    const [[, exitCode, body]] = (await seen()) as [[string, number, string]];
    assert.equal(exitCode, 0);
    assert.ok(Buffer.byteLength(body) <= 4_096 && Buffer.byteLength(body) > 4_000);
    assert.match(body, /^(é|end\n)+$/, 'no character is cut');
  });

  await t.test('a slow reader gets all of the output, with --output too', async (nested) => {
    const { url } = await setup(nested);
    const words = `"$0" ping --output "$1" -- sh -c 'head -c 300000 /dev/zero' | node -e "$2"`;
    const reader = `
      const { readSync } = require('fs');
      const rest = new Int32Array(new SharedArrayBuffer(4));
      let bytes = 0;
      for (let n; (n = readSync(0, Buffer.alloc(16384))) > 0; bytes += n) Atomics.wait(rest, 0, 0, 100);
      console.log(bytes);`;
    const child = spawn('sh', ['-c', words, executable, url, reader], { timeout: 60_000 });
    assert.equal(await text(child.stdout), '300000\n');
  });

  await t.test(
    'a background process that keeps the output open is not waited for',
    async (nested) => {
      const { url } = await setup(nested);
      const script = 'sleep 600 & echo $!';
      const { exitCode, stdout } = await ping(['--output', url, ...sh(script)]);
      assert.ok(process.kill(Number(stdout), 'SIGKILL'), 'it still runs');
      assert.equal(exitCode, 0);
    },
  );

  await t.test('a failed ping changes nothing but one line on stderr', async () => {
    const ran = await ping([nowhere, ...sh('echo out; exit 3')]);
    assert.equal(ran.exitCode, 3);
    assert.equal(ran.stdout, 'out\n');
    assert.match(ran.stderr, /^jobd: could not send the finish ping: no answer from [^\n]*\n$/);
    assert.ok(!ran.stderr.includes('nobody'), 'the id in the URL is a secret');
    const bad = await ping(['not-a-url', ...sh('exit 4')]);
    assert.equal(bad.exitCode, 4);
    assert.match(bad.stderr, /^jobd: no pings are sent: the URL must be[^\n]*\n$/);
  });

  await t.test('a server that never answers is given up', async (nested) => {
    const silent = await startSink(nested, () => {});
    const { exitCode, stderr } = await ping([silent.url, ...sh('exit 6')]);
    assert.equal(exitCode, 6);
    assert.match(stderr, /^jobd: could not send the finish ping: no answer [^\n]*\n$/);
    assert.ok(silent.received.length >= 2, 'the start, and the end');
  });

  await t.test('temporary failures are retried, permanent ones are not', async (nested) => {
    let count = 0;
    const flaky = await startSink(nested, (response) => {
      count += 1;
      response.writeHead(count < 3 ? 503 : 200).end('{"ok":true}');
    });
    const ran = await ping([flaky.url]);
    assert.deepEqual([ran.exitCode, ran.stderr, count], [0, '', 3]);
    const { daemon } = await setup(nested);
    const unknown = await ping([`${daemon.url}/ping/nobody`]);
    assert.deepEqual(
      [unknown.exitCode, unknown.stderr],
      [3, 'jobd: there is no monitor at this URL\n'],
    );
  });

  await t.test('without a command it reports success, or --start or --fail', async (nested) => {
    const { url, seen } = await setup(nested);
    for (const args of [[url], ['--start', url], ['--fail', url]]) {
      assert.deepEqual(await ping(args), { exitCode: 0, signal: null, stdout: '', stderr: '' });
    }
    assert.deepEqual(
      (await seen()).map(([kind]) => kind),
      ['fail', 'start', 'success'],
    );
    for (const args of [
      ['--start', '--fail', url],
      ['--start', url, '--', 'true'],
      ['--output', url],
      [url, '--'],
      ['not-a-url'],
      [],
    ]) {
      const { exitCode, stderr } = await ping(args);
      assert.deepEqual(
        [exitCode, stderr.split('\n').length],
        [2, 2],
        `${args.join(' ')}: ${stderr}`,
      );
    }
    assert.equal((await seen()).length, 3, 'a refused ping is not recorded');
  });
});

test('jobd monitors', { skip: notPackaged }, async (t) => {
  const { url, key } = await startTestDaemon(t);
  const run = async (...args: string[]): Promise<string> => {
    const ran = await jobd(['monitors', ...args], { JOBD_URL: url, JOBD_API_KEY: key });
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.stdout;
  };
  const json = async (...args: string[]): Promise<PingedMonitor> =>
    (JSON.parse(await run(...args, '--json')) as { monitor: PingedMonitor }).monitor;
  const made = await json('create', '--name', 'backup', '--cron', '30 2 * * *', '--grace', '1h');
  assert.deepEqual([made.cronExpr, made.graceSeconds, made.status], ['30 2 * * *', 3_600, 'new']);
  assert.equal((await json('update', 'backup', '--every', '10m')).periodSeconds, 600);
  assert.equal((await json('pause', 'backup')).status, 'paused');
  assert.equal((await json('resume', made.id)).status, 'new');
  assert.deepEqual(await json('get', 'backup'), await json('get', made.id));
  assert.equal((await ping(['--fail', made.pingUrl])).exitCode, 0);
  const { pings } = JSON.parse(await run('pings', 'backup', '--json')) as { pings: Ping[] };
  assert.deepEqual(each(pings, 'kind'), ['fail']);
  assert.match(await run('pings', 'backup'), /^[^\t\n]+Z\tfail\t-\t-\tPOST\t-\n$/);
  assert.match(
    await run('list'),
    new RegExp(`^backup\tdown\tEvery 10 minutes\t[^\t\n]*Z\t[^\t\n]*Z\t${made.id}\t-\t-\t-\n$`),
  );
  const env = { JOBD_URL: url, JOBD_API_KEY: key };
  const unasked = await jobd(['monitors', 'delete', 'backup'], env);
  assert.equal(unasked.exitCode, 2);
  await run('delete', 'backup', '--yes');
  assert.equal(await run('list'), '');
  const gone = await jobd(['monitors', 'get', 'backup'], env);
  const sentence = 'jobd: there is no monitor named backup; jobd monitors list shows them\n';
  assert.deepEqual([gone.exitCode, gone.stderr], [3, sentence]);
});
