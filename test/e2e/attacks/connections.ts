/**
 * Holds many connections from one address: now and then each asks for a health check, and closed
 * ones are reopened. Arguments: URL, connections, requests per second. Prints how many were open at
 * the end.
 */

import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { begin, end, isOver } from './until-told.ts';

const [url = '', connections = '', perSecond = ''] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const sockets: Socket[] = [];

function ask(socket: Socket): void {
  socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
}

function open(): Socket {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {}).resume();
  socket.once('connect', () => ask(socket));
  return socket;
}

for (let index = 0; index < Number(connections); index += 1) {
  sockets.push(open());
  // As many as the listen queue of the server holds.
  if (index % 100 === 99) await setTimeout(20);
}
while (sockets.some(({ connecting }) => connecting)) await setTimeout(20);
begin();
for (let turn = 0; !isOver(); turn += 1) {
  const index = turn % sockets.length;
  const socket = sockets[index];
  if (socket === undefined || socket.destroyed) sockets[index] = open();
  else ask(socket);
  await setTimeout(1_000 / Number(perSecond));
}
end({ held: sockets.filter((socket) => !socket.destroyed).length });
