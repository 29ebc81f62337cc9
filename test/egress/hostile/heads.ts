/** Misbehaviour of a target before the response body. */
import { answer } from '../support.ts';
import {
  cutOff,
  drip,
  endlessly,
  inPieces,
  noAnswer,
  notHttp,
  ok,
  success,
  tooLarge,
  type HostileTarget,
} from './row.ts';

function interimFlood(status: number): HostileTarget {
  return {
    does: `sends 100,000 interim responses ${status}`,
    behave: (s) => s.write(`HTTP/1.1 ${status} X\r\n\r\n`.repeat(100_000)),
    ...noAnswer,
    error: /^protocol: too many interim responses \(1xx\)$/,
  };
}

/** Status lines, headers and interim responses. */
export const heads: HostileTarget[] = [
  { does: 'does not speak HTTP', behave: (s) => s.write('SSH-2.0-OpenSSH_9.2\r\n'), ...notHttp },
  {
    does: 'answers in HTTP/2',
    behave: (s) => s.write(Buffer.from('000012040000000000', 'hex')),
    ...notHttp,
  },
  { does: 'claims HTTP/2.0', behave: (s) => s.write('HTTP/2.0 200 OK\r\n\r\n'), ...notHttp },
  { does: 'answers without a status', behave: (s) => s.write('HTTP/1.1 OK\r\n\r\n'), ...notHttp },
  {
    does: 'has a status of two digits',
    behave: (s) => s.write('HTTP/1.1 99 X\r\n\r\n'),
    ...notHttp,
  },
  { does: 'has status 099', behave: (s) => s.write('HTTP/1.1 099 X\r\n\r\n'), ...notHttp },
  {
    does: 'has a status of four digits',
    behave: (s) => s.write('HTTP/1.1 2000 X\r\n\r\n'),
    ...notHttp,
  },
  {
    does: 'begins with empty lines without end',
    behave: (s) => endlessly(s, '\r\n', '\r\n'),
    ...tooLarge,
  },
  {
    does: 'ends its lines with line feeds alone',
    behave: (s) => s.write('HTTP/1.1 200 OK\ncontent-length: 2\n\nok'),
    ...success,
    body: 'ok',
  },
  {
    does: 'puts a NUL into a header',
    behave: (s) => s.write(`${ok}x: a\0b\r\ncontent-length: 0\r\n\r\n`),
    ...notHttp,
  },
  {
    does: 'puts an escape sequence into Location',
    behave: (s) =>
      s.write('HTTP/1.1 302 Found\r\nlocation: /\u001b[2J\r\ncontent-length: 0\r\n\r\n'),
    ...notHttp,
  },
  {
    does: 'contradicts itself about the length',
    behave: (s) => s.write(`${ok}content-length: 2\r\ncontent-length: 3\r\n\r\nhello`),
    ...notHttp,
  },
  {
    does: 'gives both a length and chunks',
    behave: (s) =>
      s.write(`${ok}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n3\r\nfoo\r\n0\r\n\r\n`),
    ...success,
    body: 'foo',
  },
  {
    does: 'announces a negative length',
    behave: (s) => s.write(`${ok}content-length: -1\r\n\r\n`),
    ...notHttp,
  },
  {
    does: 'announces a length beyond all numbers',
    behave: (s) => s.write(`${ok}content-length: ${'9'.repeat(30)}\r\n\r\n`),
    ...notHttp,
  },
  {
    does: 'sends one header larger than 64 KiB',
    behave: (s) => s.write(`${ok}x: ${'v'.repeat(66_000)}\r\ncontent-length: 0\r\n\r\n`),
    ...tooLarge,
  },
  {
    does: 'sends headers without end',
    behave: (s) => endlessly(s, ok, `x: ${'v'.repeat(100)}\r\n`),
    ...tooLarge,
  },
  {
    does: 'sends twenty thousand empty headers',
    behave: (s) => s.write(`${ok}${'a:\r\n'.repeat(20_000)}\r\n`),
    ...tooLarge,
  },
  {
    does: 'sends a reason phrase without end',
    behave: (s) => endlessly(s, 'HTTP/1.1 200 ', 'so '),
    ...tooLarge,
  },
  { does: 'drips its headers', behave: (s) => drip(s, `${ok}x: `, 'v'), ...cutOff },
  {
    does: 'answers an unrequested 100 Continue, then 200',
    behave: (s) => s.write(`HTTP/1.1 100 Continue\r\n\r\n${answer('ok').toString()}`),
    ...success,
    body: 'ok',
  },
  {
    does: 'sends a few interim responses in pieces',
    behave: (s) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n'.repeat(3);
      inPieces(s, hints + answer('ok').toString());
    },
    ...success,
    body: 'ok',
  },
  {
    does: 'sends 17 interim responses',
    behave: (s) => s.write('HTTP/1.1 102 Processing\r\n\r\n'.repeat(17)),
    ...noAnswer,
    error: /^protocol: too many interim responses \(1xx\)$/,
  },
  interimFlood(100),
  interimFlood(102),
  interimFlood(103),
  {
    does: 'sends one interim response without end',
    behave: (s) => endlessly(s, 'HTTP/1.1 103 Early Hints\r\n', 'link: <a>\r\n'),
    ...tooLarge,
  },
  {
    does: 'sends interim responses and nothing else',
    behave: (s) => s.write('HTTP/1.1 102 Processing\r\n\r\n'),
    ...cutOff,
  },
  {
    does: 'switches protocols',
    behave: (s) => s.write('HTTP/1.1 101 X\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    ...noAnswer,
    error: /^protocol: the target switched protocols \(101\), unasked$/,
  },
];
