/** The memory cost of hostile targets, measured in a process that does nothing but call them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { goodCertificate, serverKey } from './certificates.ts';
import type { Orders, Report } from './hostile/runs.ts';
import { hostileTargets } from './hostile/targets.ts';
import { get, startTarget } from './support.ts';

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
    const timeoutMs = row.timeoutMs === undefined ? 5000 : 100;
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
const beginnings: [string, string][] = [
  ['in its headers', `${ok}${'a:\r\n'.repeat(4000)}`],
  ['after its headers', `${ok}${'a:\r\n'.repeat(4000)}content-length: 9\r\n\r\n`],
  [
    'in its trailers',
    `${ok}transfer-encoding: chunked\r\n\r\n1\r\na\r\n0\r\n${'a:\r\n'.repeat(4000)}`,
  ],
];

for (const [where, beginning] of beginnings) {
  test(`256 answers that hang ${where} use little memory`, async (t) => {
    const target = await startTarget(t, (socket) => socket.write(beginning));
    const calls = [get(target.url, { timeoutMs: 1500 })];
    const { held } = await run({ calls, runs: 256, atATime: 256 });
    t.diagnostic(`${(held / megabyte).toFixed(1)} MiB in all`);
    assert.ok(held < 120 * megabyte, `held ${(held / megabyte).toFixed(1)} MiB`);
  });
}
