/**
 * A network namespace in which every address leads to this process, which counts the connections.
 * For a process that runs in its own network and mount namespace.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer } from '../support.ts';
import { openDnsServer, type DnsServer, type Zone } from '../dns-server.ts';

/** The ports that jobd calls, and those that it never should. */
const ports = [80, 443, 22, 25, 3128, 6379, 8080];
const dnsHost = '192.0.2.53';

/** A request that a sink read. */
export interface Arrival {
  /** Where it was sent to. */
  address: string;
  port: number;
  host: string;
}

export interface World extends AsyncDisposable {
  dns: DnsServer;
  /** Connections by destination address and port. */
  connections: Map<string, number>;
  arrivals: Arrival[];
}

/**
 * Sets it up: `lookUp` answers DNS, `respond` answers HTTP, and `hosts` has the lines of the hosts
 * file.
 */
export async function makeWorld(
  lookUp: (name: string) => Zone,
  respond: (arrival: Arrival) => Buffer,
  hosts: string,
): Promise<World> {
  await using parts = new AsyncDisposableStack();
  run('ip', 'link', 'set', 'lo', 'up');
  run('ip', 'route', 'add', 'local', '0.0.0.0/0', 'dev', 'lo');
  run('ip', '-6', 'route', 'add', 'local', '::/0', 'dev', 'lo');
  const folder = mkdtempSync(join(tmpdir(), 'jobd-world-'));
  parts.defer(() => rmSync(folder, { recursive: true, force: true }));
  replace('/etc/resolv.conf', `nameserver ${dnsHost}\n`, folder);
  replace('/etc/hosts', hosts, folder);
  const dns = parts.use(await openDnsServer(lookUp, { host: dnsHost, port: 53 }));
  const world: Omit<World, 'dns' | typeof Symbol.asyncDispose> = {
    connections: new Map(),
    arrivals: [],
  };
  for (const port of ports) parts.use(await openSink(port, world, respond));
  const all = parts.move();
  return { dns, ...world, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** The number of TCP connections attempted in this namespace, to any address and port. */
export function connectionsBegun(): number {
  const [names = [], values = []] = readFileSync('/proc/self/net/snmp', 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('Tcp:'))
    .map((line) => line.split(' '));
  return Number(values[names.indexOf('ActiveOpens')]);
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Visible in this mount namespace only. */
function replace(path: string, text: string, folder: string): void {
  const file = join(folder, path.replaceAll('/', '_'));
  writeFileSync(file, text);
  run('mount', '--bind', file, path);
}

async function openSink(
  port: number,
  world: Pick<World, 'connections' | 'arrivals'>,
  respond: (arrival: Arrival) => Buffer,
): Promise<AsyncDisposable> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    const address = (socket.localAddress ?? '').replace(/^::ffff:(?=\d+\.)/, '');
    const key = `${address} ${port}`;
    world.connections.set(key, (world.connections.get(key) ?? 0) + 1);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const end = received.indexOf('\r\n\r\n');
      if (end === -1) return;
      const host = /\r\nhost: ([^\r]*)/i.exec(received)?.[1] ?? '';
      received = received.slice(end + 4);
      const arrival = { address, port, host };
      world.arrivals.push(arrival);
      socket.write(respond(arrival));
    });
  });
  server.listen(port, '::');
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

/** The response of a sink: success, or retry. */
export const responses = { ok: answer('ok'), busy: answer('busy', '503 Busy') };
