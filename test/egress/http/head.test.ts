/** The head of an answer and the end of its body: what is accepted, what is refused and why, and whether the connection stays. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readByUs } from './ours.ts';

const ok = 'HTTP/1.1 200 OK\r\n';
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;

function pieces(text: string, size: number): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const all = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => at * size);
  return all.map((at) => bytes.subarray(at, at + size));
}

/** Reads it whole and byte by byte, with the same result. */
function read(text: string, method = 'GET'): ReturnType<typeof readByUs> {
  const whole = readByUs([Buffer.from(text, 'latin1')], method);
  assert.deepEqual(readByUs(pieces(text, 1), method), whole, JSON.stringify(text));
  return whole;
}

const tolerated: Record<string, string> = {
  'bare line feeds': 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok',
  'line ends of both kinds': 'HTTP/1.1 200 OK\r\nContent-Length: 2\n\nok',
  'a length beside chunks': `${ok}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  'equal lengths in a list': `${ok}content-length: 2, 2\r\n\r\nok`,
  'equal lengths in two headers': `${ok}content-length: 2\r\ncontent-length: 02\r\n\r\nok`,
  'a folded header': `${ok}x: a\r\n b\r\n\tc\r\ncontent-length: 2\r\n\r\nok`,
  'a folded length': `${ok}content-length:\r\n 2\r\n\r\nok`,
  'a blank before the colon': `${ok}content-length : 2\r\n\r\nok`,
  'an odd name': `${ok}x[1]: a\r\ncontent-length: 2\r\n\r\nok`,
  'no name': `${ok}: a\r\ncontent-length: 2\r\n\r\nok`,
  'blanks around a chunk size': `${chunked}0002  \r\nok\r\n0\r\n\r\n`,
  'chunks that end with line feeds': `${chunked}2\nok\n0\n\n`,
  'the status line of Icecast': 'ICY 200 OK\r\nicy-name: radio\r\n\r\nok',
  'empty lines before it': `\r\n\n\r\n${ok}content-length: 2\r\n\r\nok`,
  'no blank after the status': 'HTTP/1.1 200OK\r\ncontent-length: 2\r\n\r\nok',
  'a later minor version': 'HTTP/1.2 200 OK\r\ncontent-length: 2\r\n\r\nok',
  'identity as a transfer coding': `${ok}transfer-encoding: identity\r\ncontent-length: 2\r\n\r\nok`,
  'headers of 60 KiB': `${ok}csp: ${'a'.repeat(60_000)}\r\ncontent-length: 2\r\nx y: z\r\n\r\nok`,
};

test('what curl and browsers accept is accepted, and its connection is not used again', () => {
  for (const [what, text] of Object.entries(tolerated)) {
    const { head, body, isComplete, mayPersist, error } = read(text);
    assert.deepEqual(
      { status: head?.status, body, isComplete, mayPersist, error },
      { status: 200, body: 'ok', isComplete: true, mayPersist: false, error: null },
      what,
    );
  }
});

test('an answer as RFC 9112 has it leaves its connection open', () => {
  const texts = [
    `${ok}content-length: 2\r\n\r\nok`,
    'HTTP/1.1 200\r\ncontent-length: 2\r\n\r\nok',
    'HTTP/1.1 200 D\xe9j\xe0 vu\r\nx:\ty\t\r\ncontent-length: 2\r\n\r\nok',
    'HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 2\r\n\r\nok',
    `HTTP/1.1 103 Hints\r\nlink: <a>\r\n\r\n${ok}content-length: 2\r\n\r\nok`,
    `${chunked}1\r\no\r\n01\r\nk\r\n0\r\n\r\n`,
  ];
  for (const text of texts) {
    const { body, mayPersist, error } = read(text);
    assert.deepEqual([body, mayPersist, error], ['ok', true, null], JSON.stringify(text));
  }
});

test('a connection is not used again when the server closes it, or when anything is odd', () => {
  const texts = [
    `${ok}connection: close\r\ncontent-length: 2\r\n\r\nok`,
    `${ok}connection: x ,Close\r\ncontent-length: 2\r\n\r\nok`,
    'HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok',
    `${ok}content-length: 2\r\n\r\nok\r\n`,
    'HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n',
    `HTTP/1.1 100 Continue\r\ncontent-length: 5\r\n\r\n${ok}content-length: 2\r\n\r\nok`,
    `HTTP/1.1 100 Continue\n\n${ok}content-length: 2\r\n\r\nok`,
    `HTTP/1.1 103 Hints\r\nx: \0\r\n\r\n${ok}content-length: 2\r\n\r\nok`,
    `${ok}content-length: 2\r\n\r\nok${ok}`,
    `${ok}\r\nok`,
    `${chunked}2;a=b\r\nok\r\n0\r\n\r\n`,
    `${chunked}2\r\nok\r\n0\r\nt: v\r\n\r\n`,
    `${ok}transfer-encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`,
  ];
  for (const text of texts) {
    const { mayPersist, error, isComplete } = read(text);
    assert.deepEqual([mayPersist, error, isComplete], [false, null, true], JSON.stringify(text));
  }
  for (const status of [204, 304]) {
    const text = `HTTP/1.1 ${status} X\r\ncontent-length: 2\r\n\r\n`;
    assert.equal(read(text).mayPersist, false, 'it may send what it announces');
  }
  assert.equal(read(`${ok}content-length: 2\r\n\r\n`, 'HEAD').mayPersist, false);
  assert.equal(read('HTTP/1.1 204 X\r\n\r\n').mayPersist, true);
});

test('what is refused says why', () => {
  const lines: [text: string, why: RegExp][] = [
    ['SSH-2.0-OpenSSH_9.2\r\n', /^the answer is not valid HTTP\/1\.1$/],
    ['HTTP/2.0 200 OK\r\n\r\n', /^the answer is not valid HTTP\/1\.1$/],
    ['HTTP/1.1 99 X\r\n\r\n', /^the answer is not valid HTTP\/1\.1$/],
    [`${ok}x: a\0b\r\n\r\n`, /: its headers have a control character$/],
    [`${ok}x: a\rb\r\n\r\n`, /: its headers have a control character$/],
    [`${ok}no colon\r\n\r\n`, /: one of its headers has no colon$/],
    [`${ok} x: y\r\n\r\n`, /: its first header begins with a blank$/],
    [
      `${ok}content-length: 2\r\ncontent-length: 3\r\n\r\n`,
      /: it has two content lengths, 2 and 3$/,
    ],
    [`${ok}content-length: 2, 3\r\n\r\n`, /: it has two content lengths, 2 and 3$/],
    [`${ok}content-length: -1\r\n\r\n`, /: its content length is no length$/],
    [`${ok}content-length: ${'9'.repeat(30)}\r\n\r\n`, /: its content length is no length$/],
    [`${chunked}zz\r\n`, /^the body has a chunk without a size$/],
    [`${chunked}0x2\r\nok\r\n`, /^the size of a chunk of the body is no number$/],
    [`${chunked}${'f'.repeat(17)}\r\n`, /^a chunk of the body is too long$/],
    [`${chunked}2\r\nokay\r\n`, /^a chunk of the body is longer than its size$/],
    [`${chunked}2\r\nok\r\n0;${'e'.repeat(3_000)}`, /larger than 2 KiB$/],
    [`${ok}${'a:\r\n'.repeat(20_000)}`, /^the response headers are larger than 64 KiB$/],
    ['\r\n'.repeat(40_000), /^the response headers are larger than 64 KiB$/],
    ['HTTP/1.1 102 X\r\n\r\n'.repeat(17), /^too many interim responses \(1xx\)$/],
    ['HTTP/1.1 101 X\r\n\r\n', /^the target switched protocols \(101\), unasked$/],
  ];
  for (const [text, why] of lines) assert.match(read(text).error ?? '', why);
});

test('an answer that breaks off is not complete, wherever it does', () => {
  const whole = `HTTP/1.1 103 X\r\n\r\n${ok}transfer-encoding: chunked\r\n\r\n2;x\r\nok\r\n0\r\nt: v\r\n\r\n`;
  for (let length = 0; length < whole.length; length += 1) {
    const { isComplete, error } = read(whole.slice(0, length));
    assert.deepEqual([isComplete, error], [false, null], whole.slice(0, length));
  }
  assert.equal(read(whole).isComplete, true);
});

test('what is kept of the headers is the first value, without blanks around it', () => {
  const { head } = read(
    `${ok}Location: \t/a \r\nlocation: /b\r\nRetry-After: 7\r\nKeep-Alive: max=9, timeout=5\r\n` +
      'Content-Type: text/plain;x="y"; Charset="Latin1"\r\nContent-Encoding: GZIP\r\n\r\n',
  );
  const { location, retryAfter, keepAliveSeconds, charset, contentCoding } = head ?? {};
  assert.deepEqual(
    { location, retryAfter, keepAliveSeconds, charset, contentCoding },
    {
      location: '/a',
      retryAfter: '7',
      keepAliveSeconds: 5,
      charset: 'Latin1',
      contentCoding: 'gzip',
    },
  );
});

test('a blank of HTTP is a space or a tab, and no other', () => {
  const length = read(`${ok}content-length: \xa02\r\n\r\nok`);
  assert.match(length.error ?? '', /its content length is no length/);
  const coding = read(`${ok}transfer-encoding: \xa0chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n`);
  assert.equal(coding.head?.framing.kind, 'close');
});

test('a body of more than 256 KiB of chunk sizes is refused', () => {
  const { error } = readByUs([Buffer.from(chunked + '1\r\na\r\n'.repeat(60_000))], 'GET');
  assert.match(error ?? '', /too many chunks/);
});
