/** Random answers: mostly good ones, with mistakes of all kinds in a part of them. */

type Random = () => number;

function oneOf<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random() * choices.length)] as T;
}

const statusLines = [
  'HTTP/1.1 200 OK',
  'HTTP/1.1 200 OK',
  'HTTP/1.1 404 Not Found',
  'HTTP/1.0 200 OK',
  'HTTP/1.1 204 No Content',
  'HTTP/1.1 304 Not Modified',
  'HTTP/1.1 500',
  'HTTP/1.1 503 ',
  'HTTP/1.1 299 D\xe9j\xe0 vu',
];
const oddStatusLines = [
  'ICY 200 OK',
  'HTTP/1.2 200 OK',
  'HTTP/2.0 200 OK',
  'HTTP/1.1  200 OK',
  'HTTP/1.1 200OK',
  'HTTP/1.1 99 X',
  'HTTP/1.1 1000 X',
  'http/1.1 200 OK',
  'HTTP/1.1 200 O\x1bK',
  'HTTP/1.1 101 Switching',
  'HTTP/1.1 100 Continue',
  'HTP/1.1 200 OK',
  ' HTTP/1.1 200 OK',
];
const plainHeaders = [
  'date: x',
  'x-a: b',
  'X-Empty:',
  'x-tab:\tb\t',
  'location: /x',
  'retry-after: 7',
  'set-cookie: a=b',
  'content-type: text/plain; charset=latin1',
  'keep-alive: timeout=5',
  'connection: keep-alive',
  'connection: close',
  'connection: upgrade',
  'Connection: Keep-Alive, x',
];
const oddHeaders = [
  'x : y',
  'x y: z',
  ': y',
  'no colon',
  ' folded',
  '\tfolded',
  'x: a\x00b',
  'x: a\x01b',
  'x: a\rb',
  'x(y): z',
  'content-length : 2',
  'connection: close ,x',
  'connection: closed',
  'proxy-connection: close',
  'upgrade: x',
  'content-length: 2, 2',
  'content-length: +2',
  'content-length: -1',
  'content-length: 0x2',
  'content-length:',
  'content-length: 99999999999999999999',
  'content-length: 2\r\n ',
  'transfer-encoding: identity',
  'transfer-encoding: gzip',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked, gzip',
  'transfer-encoding: chunked,',
  'transfer-encoding: chunked;x=y',
  'transfer-encoding: xchunked',
  'transfer-encoding:\x0bchunked',
  'transfer-encoding: chun\r\n ked',
  'Transfer-Encoding : chunked',
  'transfer-encoding:',
];

function chunksOf(random: Random, body: string, isOdd: boolean): string {
  let text = '';
  for (let at = 0; at < body.length;) {
    const length = 1 + Math.floor(random() * (body.length - at));
    let size = length.toString(16);
    if (random() < 0.3) size = size.toUpperCase();
    if (random() < 0.2) size = `00${size}`;
    const odd = (): boolean => isOdd && random() < 0.15;
    if (odd())
      size = oneOf(random, [`${size} `, ` ${size}`, `+${size}`, `0x${size}`, '', `${size}_`]);
    const extension = random() < 0.1 ? oneOf(random, [';a', ';a=b', ';a="b;c"', ' ; a']) : '';
    const end = odd() ? oneOf(random, ['\n', '\r', '\r\r\n', '']) : '\r\n';
    const after = odd() ? oneOf(random, ['\n', '\r', '', 'x\r\n', '\r\n\r\n']) : '\r\n';
    text += `${size}${extension}${end}${body.slice(at, at + length)}${after}`;
    at += length;
  }
  const last =
    isOdd && random() < 0.2 ? oneOf(random, ['0\n\n', '00\r\n\r\n', '0\r\n', '0\r\n\n']) : null;
  const trailer =
    random() < 0.15 ? oneOf(random, ['t: v\r\n', 'content-length: 5\r\n', 'x\r\n']) : '';
  return text + (last ?? `0\r\n${trailer}\r\n`);
}

/** An answer as Latin-1. */
export function randomAnswer(random: Random): string {
  const isOdd = random() < 0.6;
  const odd = (chance: number): boolean => isOdd && random() < chance;
  const body = 'x0\r\n\r\na'.repeat(4).slice(0, Math.floor(random() * 20));
  const lines: string[] = [];
  lines.push(odd(0.15) ? oneOf(random, oddStatusLines) : oneOf(random, statusLines));
  while (random() < 0.5) lines.push(oneOf(random, plainHeaders));
  while (odd(0.35)) lines.push(oneOf(random, oddHeaders));
  const framing = oneOf(random, ['length', 'length', 'chunks', 'chunks', 'none', 'both']);
  const length = odd(0.2) ? Math.floor(random() * 20) : body.length;
  if (framing === 'length' || framing === 'both') lines.push(`Content-Length: ${length}`);
  if (odd(0.1)) lines.push(`content-length: ${odd(0.5) ? length : body.length}`);
  if (framing === 'chunks' || framing === 'both') lines.push('Transfer-Encoding: chunked');
  const tail = lines.slice(1);
  for (let at = tail.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [tail[at], tail[other]] = [tail[other] ?? '', tail[at] ?? ''];
  }
  const lineEnd = (): string => (odd(0.04) ? oneOf(random, ['\n', '\r', '\r\r\n']) : '\r\n');
  let text = odd(0.1) ? oneOf(random, ['\r\n', '\n', '\r\n\r\n', '\r', ' ']) : '';
  if (random() < 0.1) text += 'HTTP/1.1 103 Early Hints\r\nlink: <a>\r\n\r\n';
  for (const line of [lines[0] ?? '', ...tail]) text += line + lineEnd();
  text += lineEnd();
  text += framing === 'chunks' || framing === 'both' ? chunksOf(random, body, isOdd) : body;
  if (random() < 0.1) text += oneOf(random, ['\r\n', 'HTTP/1.1 200 OK\r\n\r\n', '\0', 'stray']);
  if (odd(0.1)) text = text.slice(0, Math.floor(random() * text.length));
  return text;
}

/** The answer in random pieces; each byte by itself in some of them. */
export function randomPieces(random: Random, text: string): Buffer[] {
  const bytes = Buffer.from(text, 'latin1');
  const most = oneOf(random, [1, 3, 20, 1_000, 1_000]);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = 1 + Math.floor(random() * most);
    pieces.push(bytes.subarray(at, at + length));
    at += length;
  }
  return pieces;
}
