/**
 * Sends so many valid pings as fast as they are answered, to each of the given URLs in turn. Prints
 * the number of answers by status.
 *
 *     node pings.ts '{"urls": ["http://…/ping/ID/fail"], "pings": 20000, "bodyBytes": 4096}'
 */

import { connect, type Socket } from 'node:net';

interface Flood {
  urls: string[];
  pings: number;
  bodyBytes: number;
}

/** Many, since a connection gets only five answers a second once its pings come too fast. */
const connections = 200;
/** Requests in flight on each connection. */
const pipelined = 10;

/** Every answer has a small JSON object as its body. */
const wholeAnswer = /HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n\{[^}]*\}/g;

const { urls, pings, bodyBytes } = JSON.parse(process.argv[2] ?? '') as Flood;
const statuses: Record<string, number> = {};
let sent = 0;

await Promise.all(Array.from({ length: connections }, send));
process.stdout.write(JSON.stringify(statuses));

async function send(): Promise<void> {
  const { hostname, port } = new URL(urls[0] ?? '');
  const socket = connect(Number(port), hostname).setNoDelay(true).setEncoding('latin1');
  let waiting = 0;
  let received = '';
  const fill = (): void => {
    while (waiting < pipelined && !isOver()) {
      waiting += 1;
      socket.write(nextRequest());
    }
    if (waiting === 0) socket.end();
  };
  socket.on('connect', fill).on('data', (text) => {
    received += String(text);
    let end = 0;
    for (const answer of received.matchAll(wholeAnswer)) {
      const status = answer[1] ?? '';
      statuses[status] = (statuses[status] ?? 0) + 1;
      waiting -= 1;
      end = answer.index + answer[0].length;
    }
    received = received.slice(end);
    fill();
  });
  await closed(socket);
}

function isOver(): boolean {
  return sent >= pings;
}

async function closed(socket: Socket): Promise<void> {
  await new Promise((resolve) => socket.on('error', () => {}).once('close', resolve));
}

function nextRequest(): string {
  const { host, pathname } = new URL(urls[sent % urls.length] ?? '');
  sent += 1;
  const body = `ping ${sent} `.padEnd(bodyBytes, 'x');
  return `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}
