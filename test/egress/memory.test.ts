/** The memory cost of hostile targets, measured in a process that does nothing but call them. */
import assert from 'node:assert/strict';
import { execFile, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Phase } from '../../src/egress/deadline.ts';
import { goodCertificate, serverKey } from './certificates.ts';
import type * as held from './hostile/held.ts';
import type { Orders, Report } from './hostile/runs.ts';
import { hostileTargets } from './hostile/targets.ts';
import { eventually, get, startTarget } from './support.ts';

const megabyte = 1024 * 1024;

async function run(orders: Orders): Promise<Report> {
  const script = join(import.meta.dirname, 'hostile', 'runs.ts');
  const args = ['--expose-gc', script, JSON.stringify(orders)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 120_000 });
  return JSON.parse(stdout) as Report;
}

test('a thousand hostile runs leak no memory and no socket', async (t) => {
  const calls = [];
  for (const row of hostileTargets) {
    const tls = { key: serverKey, cert: goodCertificate };
    const target = await startTarget(t, row.behave ?? (() => {}), {
      ...(row.https === 'tls' ? { tls } : {}),
      ...(row.greet === undefined ? {} : { greet: row.greet }),
    });
    const url = row.https === 'raw' ? target.url.replace('http:', 'https:') : target.url;
    const timeoutMs = row.hangs === undefined ? 60_000 : 100;
    calls.push(get(url, { method: row.method ?? 'GET', timeoutMs }));
  }
  const { rssBefore, rssAfter, sockets } = await run({ calls, runs: 1000, atATime: 16 });
  const grownBy = (rssAfter - rssBefore) / megabyte;
  t.diagnostic(`grew by ${grownBy.toFixed(1)} MiB over a thousand runs`);
  assert.ok(grownBy < 20, `grew by ${grownBy.toFixed(1)} MiB`);
  assert.equal(sockets, 0);
});

const ok = 'HTTP/1.1 200 OK\r\n';
/** Places where an answer may hang; the parser could keep each small piece by itself. */
const beginnings: [where: string, beginning: string, phase: Phase][] = [
  ['in its headers', `${ok}${'a:\r\n'.repeat(4000)}`, 'waiting for the answer'],
  [
    'after its headers',
    `${ok}${'a:\r\n'.repeat(4000)}content-length: 9\r\n\r\n`,
    'reading the body',
  ],
  [
    'in its trailers',
    `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${'a:\r\n'.repeat(480)}`,
    'reading the body',
  ],
];

for (const [where, beginning, phase] of beginnings) {
  test(`256 answers that hang ${where} use little memory`, async (t) => {
    const target = await startTarget(t, (socket) => socket.write(beginning));
    const orders: held.Orders = { call: get(target.url), times: 256, phase };
    const script = join(import.meta.dirname, 'hostile', 'held.ts');
    const child = fork(script, [JSON.stringify(orders)], { execArgv: ['--expose-gc'] });
    t.after(() => child.kill('SIGKILL'));
    const reported = once(child, 'message');
    const ended = once(child, 'exit');
    await eventually(() => target.requests.length === 256);
    child.send('answered');
    const [report] = (await reported) as [held.Report];
    t.diagnostic(`${(report.held / megabyte).toFixed(1)} MiB in all`);
    assert.ok(report.held < 120 * megabyte, `held ${(report.held / megabyte).toFixed(1)} MiB`);
    assert.equal(report.hanging, 256);
    assert.deepEqual(await ended, [0, null]);
  });
}
