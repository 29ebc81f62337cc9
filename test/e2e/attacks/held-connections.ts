/**
 * Holds connections from each of the loopback addresses 127.0.0.11 and on, and opens those that are closed again until the time
 * is over, some 1,000 a second. What each sends is the way of the attack:
 *
 *     slow    pings a monitor, but the body never comes
 *     idle    pings a monitor, then keeps the connection
 *     large   asks for health without reading an answer: small requests, then ones with 15 KB of headers
 *
 * Arguments: URL of the monitor, way, connections per address, addresses, seconds. Prints how many were opened.
 */

import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const [pingUrl = '', way = '', connections = '', addresses = '', seconds = ''] =
  process.argv.slice(2);
const { hostname, port, pathname } = new URL(pingUrl);
const endAt = Date.now() + Number(seconds) * 1_000;
const health = 'GET /healthz HTTP/1.1\r\nHost: a\r\n';
const packets: Record<string, string[]> = {
  slow: [`POST ${pathname} HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n`],
  idle: [`GET ${pathname} HTTP/1.1\r\nHost: a\r\n\r\n`],
  large: [
    ...Array<string>(6).fill(`${health}\r\n`.repeat(15)),
    `${health}X: ${'a'.repeat(15_000)}\r\n\r\n`.repeat(16),
  ],
};
let opened = 0;

async function send(socket: Socket): Promise<void> {
  for (const packet of packets[way] ?? []) {
    if (socket.destroyed) return;
    socket.write(packet);
    await setTimeout(200);
  }
}

function open(address: number): Socket {
  const localAddress = `127.0.0.${11 + address}`;
  const socket = connect({ host: hostname, port: Number(port), localAddress });
  socket.on('error', () => {});
  if (way === 'large') socket.pause();
  else socket.resume();
  socket.once('connect', () => void send(socket));
  opened += 1;
  return socket;
}

const all = Number(connections) * Number(addresses);
const sockets: Socket[] = [];
while (Date.now() < endAt) {
  let burst = 0;
  for (let index = 0; index < all && burst < 25; index += 1) {
    if (sockets[index]?.destroyed === false) continue;
    sockets[index] = open(Math.floor(index / Number(connections)));
    burst += 1;
  }
  await setTimeout(20);
}
process.stdout.write(JSON.stringify({ opened }));
process.exit();
