/**
 * Pings that alternate between failure and success on one connection, each sent when the previous
 * one is answered.
 *
 *   node alternating-pings.ts PING_URL COUNT
 *
 * The last one is a failure. Prints `{ answered }`.
 */

import { connect } from 'node:net';

const [pingUrl = '', count = '0'] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(pingUrl);
const requests = Array.from({ length: Number(count) }, (_, index) => {
  const path = (Number(count) - index) % 2 === 1 ? `${pathname}/fail` : pathname;
  return `GET ${path} HTTP/1.1\r\nHost: ${hostname}\r\n\r\n`;
});
const socket = connect(Number(port), hostname);
// Answers are counted; one may be split between two chunks.
let text = '';
let sent = 0;
socket.setEncoding('latin1').on('data', (chunk: string) => {
  text += chunk;
  next();
});
socket.on('error', () => {});
socket.setTimeout(30_000, () => socket.destroy());
socket.once('close', () => {
  process.stdout.write(JSON.stringify({ answered: answered() }));
});
next();

function next(): void {
  const done = answered();
  if (done === requests.length) socket.end();
  else if (done === sent) socket.write(requests[sent++] ?? '');
}

function answered(): number {
  return text.split('"ok":true').length - 1;
}
