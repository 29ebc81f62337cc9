/** A lack of local resources is not the target's failure. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { text } from 'node:stream/consumers';
import { temporaryDirectory } from '../support/directory.ts';
import { startDnsServer } from './dns-server.ts';
import { answer, startTarget } from './support.ts';

const source = join(import.meta.dirname, '..', '..', 'src');
const noLimits = process.platform === 'win32' && 'there is no ulimit';

/**
 * Calls each URL from this thread and from another one, first without a free file descriptor, then
 * with some.
 */
const script = `
  import { closeSync, openSync } from 'node:fs';
  import { setImmediate } from 'node:timers/promises';
  import { createEgress } from '${source}/egress/egress.ts';
  import { createResolver } from '${source}/egress/resolve.ts';
  import { startEgressThread } from '${source}/egress/threads.ts';
  import { parseAllowTargets } from '${source}/domain/targets/target.ts';
  const { urls, dns, hostsPath } = JSON.parse(process.argv[2]);
  const options = {
    allowTargets: parseAllowTargets(['127.0.0.1:*']), connectionsPerHost: 4, userAgent: 'x' };
  const resolve = createResolver({ servers: [dns], patienceMs: 10_000, hostsPath });
  const held = [];
  // What loaded the modules may still give descriptors back.
  for (let turn = 0; turn < 50; turn += 1) {
    try { for (;;) held.push(openSync('/dev/null')); } catch {}
    await setImmediate();
  }
  const [egress, thread] = [createEgress({ ...options, resolve }), startEgressThread(options)];
  const callAll = async () => {
    const calls = urls.map((url) => [egress, url]).concat([[thread, urls[0]]]);
    return await Promise.all(calls.map(([sender, url]) =>
      sender.call({ url, method: 'GET', headers: {}, body: null, timeoutMs: 60000 })));
  };
  const starved = await callAll();
  for (const file of held) closeSync(file);
  console.log(JSON.stringify({ starved, fed: await callAll() }));
  await egress[Symbol.asyncDispose]();
  await thread[Symbol.asyncDispose]();`;

test(
  'without a free file descriptor a call is not a failure of its target, and works once there is one',
  { skip: noLimits },
  async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer('ok')));
    const dns = await startDnsServer(t, () => ({ a: ['127.0.0.1'] }));
    const directory = temporaryDirectory(t);
    const [file, hostsPath] = [join(directory, 'calls.mjs'), join(directory, 'hosts')];
    writeFileSync(file, script);
    writeFileSync(hostsPath, '127.0.0.1 listed.example.com\n');
    const hosts = ['127.0.0.1', 'asked.example.com', 'listed.example.com'];
    const urls = hosts.map((host) => `http://${host}:${target.port}/`);
    const limited = ['-c', 'ulimit -n 64 && exec "$0" "$@"', process.execPath];
    const options = JSON.stringify({ urls, dns: dns.address, hostsPath });
    // The file that it names is read in a thread of its own, which may give its descriptor back later.
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
    const child = spawn('sh', [...limited, file, options], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => child.kill('SIGKILL'));
    const output = JSON.parse(await text(child.stdout)) as Record<string, { kind: string }[]>;
    for (const result of output['starved'] ?? []) assert.equal(result.kind, 'local');
    for (const result of output['fed'] ?? []) assert.equal(result.kind, 'response');
    assert.deepEqual([output['starved']?.length, output['fed']?.length], [4, 4]);
    t.diagnostic(JSON.stringify(output['starved']));
  },
);
