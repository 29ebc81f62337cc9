/** Misbehaviour of a target in and after the response body. */
import { gzipSync } from 'node:zlib';
import { answer } from '../support.ts';
import {
  brokeOff,
  chunked,
  drip,
  endlessly,
  framing,
  ok,
  success,
  type HostileTarget,
} from './row.ts';

function badChunk(error: RegExp): Pick<HostileTarget, 'status' | 'error' | 'httpStatus'> {
  return { status: 'failed', error, httpStatus: 200 };
}

/** Bodies, chunks, trailers, and what comes after. */
export const bodies: HostileTarget[] = [
  {
    does: 'answers and continues with unrequested bytes',
    behave: (s) => s.write(Buffer.concat([answer('ok'), Buffer.from('\0stray')])),
    ...success,
    body: 'ok',
  },
  {
    does: 'answers twice',
    behave: (s) => s.write(Buffer.concat([answer('ok'), answer('again', '500 X')])),
    ...success,
    body: 'ok',
  },
  {
    does: 'answers and then never stops',
    behave: (s) => endlessly(s, answer('ok').toString(), 'HTTP/1.1 200 OK\r\n'),
    ...success,
    body: 'ok',
  },
  {
    does: 'sends a body with 204',
    behave: (s) => s.write(answer('unasked', '204 No Content')),
    ...success,
    httpStatus: 204,
    body: '',
  },
  {
    does: 'sends a body with HEAD',
    behave: (s) => s.write(answer('unasked')),
    method: 'HEAD',
    ...success,
    body: '',
  },
  {
    does: 'sends a body without end',
    behave: (s) => endlessly(s, `${ok}\r\n`, 'a'),
    ...success,
    body: 'a'.repeat(4096),
    truncated: true,
  },
  {
    does: 'sends a gzip bomb',
    behave: (s) =>
      s.write(answer(gzipSync(Buffer.alloc(10_000_000)), '200 OK', 'content-encoding: gzip\r\n')),
    ...success,
    truncated: true,
  },
  {
    does: 'closes within the body',
    behave: (s) => s.end(`${ok}content-length: 10\r\n\r\nhalf`),
    ...brokeOff,
    body: 'half',
  },
  {
    does: 'resets within the body',
    behave: (s) => s.write(`${ok}content-length: 10\r\n\r\nhalf`, () => s.resetAndDestroy()),
    ...brokeOff,
  },
  {
    does: 'resets a body that ends with the connection',
    behave: (s) => s.write(`${ok}\r\nhalf`, () => s.resetAndDestroy()),
    ...brokeOff,
  },
  {
    does: 'leaves out the last chunk',
    behave: (s) => s.end(`${chunked}4\r\nhalf\r\n`),
    ...brokeOff,
    body: 'half',
  },
  {
    does: 'sends a chunk size that is none',
    behave: (s) => s.write(`${chunked}4\r\nhalf\r\nzz\r\n`),
    ...badChunk(/^protocol: the body has a chunk without a size$/),
    body: 'half',
  },
  {
    does: 'sends a chunk size beyond all numbers',
    behave: (s) => s.write(`${chunked}4\r\nhalf\r\n${'f'.repeat(17)}\r\n`),
    ...badChunk(/^protocol: a chunk of the body is too long$/),
    body: 'half',
  },
  {
    does: 'sends a chunk extension without end',
    behave: (s) => endlessly(s, `${chunked}4\r\nhalf\r\n1;`, 'e'),
    ...framing,
    body: 'half',
  },
  {
    does: 'sends trailers without end',
    behave: (s) => endlessly(s, `${chunked}4\r\nhalf\r\n0\r\n`, 'a:\r\n'),
    ...framing,
    body: 'half',
  },
  {
    does: 'drips trailers',
    behave: (s) => drip(s, `${chunked}4\r\nhalf\r\n0\r\n`, 'a:\r\n'),
    hangs: 'reading the body',
    status: 'failed',
    error: /^timeout: the response body was not finished within 5 s$/,
    httpStatus: 200,
    body: 'half',
  },
  {
    does: 'drips its body',
    behave: (s) => drip(s, `${ok}\r\n`, 'v'),
    hangs: 'reading the body',
    status: 'failed',
    error: /^timeout: the response body was not finished within 5 s$/,
    httpStatus: 200,
  },
  {
    does: 'sends its body in chunks of one byte',
    behave: (s) => s.write(`${chunked}${'1\r\na\r\n'.repeat(3000)}0\r\n\r\n`),
    ...success,
    body: 'a'.repeat(3000),
    truncated: false,
  },
  {
    does: 'fails and breaks off',
    behave: (s) => s.end('HTTP/1.1 500 X\r\nretry-after: 0\r\ncontent-length: 10\r\n\r\nhalf'),
    status: 'failed',
    error: /^http: 500$/,
    httpStatus: 500,
    body: 'half',
    isRetried: true,
  },
  {
    does: 'redirects to where it must not go',
    behave: (s) =>
      s.write(answer('', '302 Found', 'location: http://169.254.169.254/?key=s3cret\r\n')),
    status: 'failed',
    error: /^redirect: 302 to http:\/\/169\.254\.169\.254\/, redirects are not followed$/,
    httpStatus: 302,
  },
];
