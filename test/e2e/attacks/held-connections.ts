/**
 * Holds connections from the address 127.0.0.11 and reopens closed ones, some 1,000 a second. Each pings a monitor: in mode `slow` with a body that never comes, in mode
 * `idle` once, then it stays open. Arguments: URL of the monitor, mode, connections.
 * Prints how many were opened.
 */

import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { begin, end, isOver } from './until-told.ts';

const [pingUrl = '', mode = '', connections = ''] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(pingUrl);
const packets: Record<string, string> = {
  slow: `POST ${pathname} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`,
  idle: `GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`,
};
let opened = 0;

function open(): Socket {
  const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.11' });
  socket.on('error', () => {}).resume();
  socket.once('connect', () => socket.write(packets[mode] ?? ''));
  opened += 1;
  return socket;
}

const sockets: Socket[] = [];
for (let hasBegun = false; !isOver();) {
  let burst = 0;
  for (let index = 0; index < Number(connections) && burst < 25; index += 1) {
    if (sockets[index]?.destroyed === false) continue;
    sockets[index] = open();
    burst += 1;
  }
  if (!hasBegun && opened >= Number(connections)) begin();
  hasBegun = opened >= Number(connections);
  await setTimeout(20);
}
end({ opened });
