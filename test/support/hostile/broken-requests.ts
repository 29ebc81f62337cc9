/** Malformed requests made from a seed: the same seed gives the same bytes. */

import { seededRandom } from '../dice.ts';

/** The client's behaviour after it has sent the bytes. */
export type Ending =
  | 'waits' /* until the server closes */
  | 'ends' /* its own side, and reads on */
  | 'vanishes'; /* at once, with a reset */

export interface BrokenRequest {
  /** What was broken, for the message of a failing test. */
  kinds: string[];
  bytes: Buffer;
  ending: Ending;
}

interface Draft {
  line: string;
  headers: string[];
  body: string;
  /** Between lines. */
  newline: string;
}

/** A random choice: `pick` takes one of a list, `upTo` a whole number below. */
interface Chance {
  readonly pick: <T>(of: readonly T[]) => T;
  readonly upTo: (bound: number) => number;
}

const methods = [
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'get',
  'X',
];
const paths = ['/api/v1/jobs', '/api/v1/jobs/x', '/api/v1/jobs/x/run', '/healthz', '/', '/%zz'];

/** Each breaks a request in one way. */
const breakers: Record<string, (draft: Draft, chance: Chance) => void> = {
  'request line': (draft, { pick }) => {
    draft.line = pick([
      '',
      ' ',
      'GET',
      'GET  /api/v1/jobs  HTTP/1.1',
      'GET /api/v1/jobs HTTP/9.9',
      'GET /api/v1/jobs HTTP/1.1 more',
      'GET /api/v1/jobs',
      'GET http://[::bad/ HTTP/1.1',
      'GET * HTTP/1.1',
      'GET \\..\\jobs HTTP/1.1',
      'PRI * HTTP/2.0',
      'CONNECT a:1 HTTP/1.1',
      'HTTP/1.1 200 OK',
      '{"name":"a"}',
      `GET /${'a'.repeat(20_000)} HTTP/1.1`,
      'GET /api/v1/jobs?limit=%E0%A4%A HTTP/1.1',
      'GET /api/v1/jobs/%00 HTTP/1.1',
    ]);
  },
  header: (draft, { pick }) => {
    draft.headers.push(
      pick([
        'no colon',
        ': no name',
        'Space : a',
        'Bad\0: a',
        'Nul: a\0b',
        'Control: a\x01b\x7f',
        ' folded: a',
        'Latin-1: \xff\xfe',
        'X: a\rb',
        'Host: b',
        'Host: a b',
        'Authorization: Bearer',
        'Authorization: Basic eDp5',
        'Expect: 100-continue',
        'Expect: miracles',
        'Upgrade: websocket',
        'Connection: upgrade',
        'Content-Type: ;;;',
        'Content-Type: application/json; charset=utf-7',
        'Content-Encoding: gzip',
        'Origin: null',
        'If-Match: "a',
        'Range: bytes=9-1',
      ]),
    );
  },
  'huge headers': (draft, { pick, upTo }) => {
    const size = 10_000 + upTo(60_000);
    const one = [`X-Huge: ${'x'.repeat(size)}`];
    const many = Array.from({ length: size / 20 }, (_, index) => `X-${index}: ${'y'.repeat(10)}`);
    draft.headers.push(...pick([one, many]));
  },
  framing: (draft, { pick }) => {
    draft.headers.push(
      ...pick([
        ['Content-Length: 5', 'Transfer-Encoding: chunked'],
        ['Content-Length: 5', 'Content-Length: 6'],
        ['Content-Length: 5, 5'],
        ['Content-Length: -1'],
        ['Content-Length: 0x10'],
        ['Content-Length: 99999999999999999999999'],
        ['Content-Length: 300000'],
        ['Content-Length: 100'],
        ['Transfer-Encoding: gzip'],
        ['Transfer-Encoding: chunked, chunked'],
        ['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'],
        ['Transfer-Encoding:\x0bchunked'],
      ]),
    );
  },
  chunks: (draft, { pick }) => {
    draft.line = draft.line.replace(/^GET/, 'POST');
    draft.headers.push('Transfer-Encoding: chunked');
    draft.body = pick([
      'xyz\r\n',
      '-1\r\na\r\n',
      '5\r\nab\r\n0\r\n\r\n',
      '1\r\nabcdef\r\n0\r\n\r\n',
      'ffffffffffffffffff\r\na',
      '0\r\nBad trailer\r\n\r\n',
      '3\nabc\n0\n\n',
      `1;${'e'.repeat(40_000)}\r\na\r\n0\r\n\r\n`,
      `50000\r\n${'1'.repeat(0x50000)}\r\n0\r\n\r\n`,
      '',
    ]);
  },
  'bare line feeds': (draft, { pick }) => {
    draft.newline = pick(['\n', '\r', '\r\r\n', '\n\r']);
  },
  'bytes changed': (draft, { pick, upTo }) => {
    for (let count = 1 + upTo(4); count > 0; count -= 1) {
      const index = upTo(draft.line.length + 1);
      const byte = pick(['\0', '\x80', '\xff', '\t', ' ', '\x7f', '%', '\\', '"']);
      draft.line = draft.line.slice(0, index) + byte + draft.line.slice(index + upTo(2));
    }
  },
  body: (draft, { pick }) => {
    draft.line = draft.line.replace(/^GET/, 'POST');
    draft.body = pick([
      '{',
      '[]',
      'null',
      '{"name":"\xff"}',
      '{"name":"\\ud800"}',
      '[['.repeat(9_000),
    ]);
    draft.headers.push(`Content-Length: ${draft.body.length}`);
  },
};

/** Makes `count` requests, most of them broken in one way, some in several. */
export function brokenRequests(seed: number, count: number, keys: string[]): BrokenRequest[] {
  const random = seededRandom(seed);
  const upTo = (bound: number): number => Math.floor(random() * bound);
  const chance: Chance = { upTo, pick: (of) => of[upTo(of.length)]! };
  return Array.from({ length: count }, () => brokenRequest(chance, keys));
}

function brokenRequest(chance: Chance, keys: string[]): BrokenRequest {
  const { pick, upTo } = chance;
  const draft: Draft = {
    line: `${upTo(2) === 0 ? pick(methods) : 'GET'} ${pick(paths)} HTTP/1.${upTo(8) === 0 ? 0 : 1}`,
    headers: ['Host: a', 'Content-Type: application/json'],
    body: '',
    newline: '\r\n',
  };
  if (upTo(3) > 0) draft.headers.push(`Authorization: Bearer ${pick(keys)}`);
  const kinds = Array.from({ length: pick([1, 1, 1, 2, 3]) }, () => pick(Object.keys(breakers)));
  for (const kind of kinds) breakers[kind]?.(draft, chance);
  const head = [draft.line, ...draft.headers, '', ''].join(draft.newline);
  let text = head + draft.body;
  if (upTo(6) === 0) {
    kinds.push('cut off');
    text = text.slice(0, upTo(text.length));
  }
  if (upTo(6) === 0) {
    kinds.push('more behind it');
    text += pick(['garbage\r\n\r\n', '\0\0\0\0', 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n', text]);
  }
  const ending = pick(['waits', 'waits', 'waits', 'ends', 'vanishes'] as const);
  return { kinds, bytes: Buffer.from(text, 'latin1'), ending };
}
