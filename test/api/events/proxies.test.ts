/** jobd behind the proxies whose files are in contrib/: events are passed on at once, and limits go by the address of clients. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { ownPort } from '../../support/own-port.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { openStream } from '../../support/running/events.ts';
import { until } from '../../support/until.ts';

const contrib = join(import.meta.dirname, '..', '..', '..', 'contrib');
const read = (name: string): string => readFileSync(join(contrib, name), 'utf8');

interface Place {
  directory: string;
  port: number;
  /** As `127.0.0.1:8080`. */
  upstream: string;
}

interface Proxy {
  name: string;
  /** Prints its version. */
  version: string[];
  /** Its file of contrib/, without TLS, and the arguments to start it with. */
  prepare: (place: Place) => { config: string; args: (file: string) => string[] };
}

const proxies: readonly Proxy[] = [
  {
    name: 'nginx',
    version: ['-v'],
    prepare({ directory, port, upstream }) {
      const [location = ''] = /^ {4}location \/ \{[^]*?^ {4}\}/m.exec(read('nginx.conf')) ?? [];
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
        (kind) => `${kind}_temp_path ${directory}/${kind};`,
      );
      const server = `server { listen 127.0.0.1:${port}; ${location} }`;
      const zones =
        read('nginx.conf')
          .match(/^limit_\w+ .*;$/gm)
          ?.join(' ') ?? '';
      const http = `http { access_log off; ${zones} ${temporary.join(' ')} ${server} }`;
      return {
        config: `daemon off; master_process off; pid ${directory}/pid; events {} ${http}`.replace(
          '127.0.0.1:8080',
          upstream,
        ),
        args: (file) => ['-e', 'stderr', '-p', directory, '-c', file],
      };
    },
  },
  {
    name: 'caddy',
    version: ['version'],
    prepare: ({ port, upstream }) => ({
      config: `{\nadmin off\n}\n${read('Caddyfile')}`
        .replace('127.0.0.1:8080', upstream)
        .replace(/^jobs\.example\.com \{/m, `http://127.0.0.1:${port} {`),
      args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    }),
  },
];

async function startProxy(t: TestContext, { name, prepare }: Proxy, url: string): Promise<string> {
  const directory = temporaryDirectory(t);
  mkdirSync(join(directory, 'logs'));
  const port = await ownPort();
  const { config, args } = prepare({ directory, port, upstream: new URL(url).host });
  const file = join(directory, 'config');
  writeFileSync(file, config);
  const env = { PATH: process.env['PATH'], HOME: directory };
  const child = spawn(name, args(file), { env, stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const site = `http://127.0.0.1:${port}`;
  await until(`${name} to answer`, async () => {
    assert.equal(child.exitCode, null, said);
    return await fetch(`${site}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  });
  return site;
}

for (const proxy of proxies) {
  const { name, version } = proxy;
  const isThere = spawnSync(name, version).status === 0;
  const skip = isThere ? false : `${name} is not installed`;
  test(`contrib's file for ${name} passes on each event at once`, { skip }, async (t) => {
    const daemon = await startTestDaemon(t);
    const url = await startProxy(t, proxy, daemon.url);
    const stream = await openStream(t, { url, key: daemon.key });
    for (const expected of ['first', 'second']) {
      const { body } = await daemon.ask('POST', '/monitors', { name: expected });
      const { data } = await stream.next('changed');
      assert.deepEqual(data.monitors, [body.monitor.id]);
    }
  });

  test(
    `with contrib's file for ${name}, no client can choose the address it counts for`,
    { skip },
    async (t) => {
      const daemon = await startTestDaemon(t, { flags: { trustedProxy: ['127.0.0.1'] } });
      const url = await startProxy(t, proxy, daemon.url);
      // A client cannot be two others at once: each has an address of the loopback network.
      const post = async (from: string, claimed: string): Promise<string> => {
        const made = await requestFrom(from, `${url}/api/v1/monitors`, {
          authorization: `Bearer ${daemon.key}`,
          'content-type': 'application/json',
          'x-forwarded-for': claimed,
        });
        assert.equal(made, 201);
        return (await daemon.ask('GET', '/audit?limit=1')).body.entries[0].address;
      };
      assert.equal(await post('127.0.0.2', '203.0.113.9'), '127.0.0.2');
      assert.equal(await post('127.0.0.3', '203.0.113.9, 127.0.0.1'), '127.0.0.3');
    },
  );
}

/** Sends a request from an address of this machine. Resolves with the status. */
async function requestFrom(
  localAddress: string,
  url: string,
  headers: Record<string, string>,
): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers, localAddress });
  sent.end(JSON.stringify({ name: localAddress }));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}
