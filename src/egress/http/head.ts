/**
 * The status line and headers of an answer (RFC 9112), read in one pass. What curl and browsers accept is accepted: bare line
 * feeds, folded lines, equal lengths given twice, a length beside chunks, blanks before a colon, Icecast's status line. Where
 * two readers could differ about such an answer, `isExact` is false: its connection is not used again.
 */

import { withoutBlanks } from '../../domain/blanks.ts';
import { maxLocationLength } from '../../domain/runs/outcome.ts';
import { BadAnswer } from '../failure.ts';

/** How the end of a body is found. */
export type Framing =
  | { kind: 'none' }
  | { kind: 'length'; bytes: number }
  | { kind: 'chunked' }
  | { kind: 'close' };

/** What is kept of a status line and headers. */
export interface Head {
  status: number;
  framing: Framing;
  /** Whether it has the one form of RFC 9112 that every reader understands in the same way. */
  isExact: boolean;
  /** Whether the server keeps the connection open after the answer. */
  persists: boolean;
  /** For how long it keeps it open without a request; null if it does not say. */
  keepAliveSeconds: number | null;
  /** In lower case; null for none. */
  contentCoding: string | null;
  /** The charset of Content-Type. */
  charset: string | null;
  location: string | null;
  retryAfter: string | null;
}

const lists = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'proxy-connection',
  'transfer-encoding',
]);
const singles = new Set(['content-type', 'keep-alive', 'location', 'retry-after']);

/** All control characters but tab and line ends, and a carriage return within a line. */
const controlPattern = /[^\t\n\r -~\x80-\xff]|\r(?!\n)/;
const statusPattern = /^(?:HTTP\/1\.(\d)|ICY) ([1-9]\d\d)(?!\d)/;
/** One of the options of a connection. */
const closePattern = /(?:^|,)[ \t]*close[ \t]*(?:,|$)/i;
const keepAlivePattern = /(?:^|,)[ \t]*keep-alive[ \t]*(?:,|$)/i;
/** A whole head as RFC 9112 has it: each line ends with CRLF and is a name, a colon at once and a value. */
const exactPattern =
  /^HTTP\/1\.[01] \d{3}(?: [^\r\n]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n]*\r\n)*\r\n$/;

/** Most bytes of an answer that its refusal quotes. */
const mostQuoted = 40;
const lineFeed = 10;
const carriageReturn = 13;

/** The refusal of an answer that is not HTTP, with its first bytes. */
export function notHttp(text: string): BadAnswer {
  const [line = ''] = /^[^\r\n]*/.exec(text.slice(0, mostQuoted)) ?? [];
  return new BadAnswer('the answer is not valid HTTP/1.1', line);
}

function invalid(why: string): BadAnswer {
  return new BadAnswer(`the answer is not valid HTTP/1.1: ${why}`);
}

/** The status of a head. Throws BadAnswer. */
export function statusOf(text: string): number {
  const status = statusPattern.exec(text)?.[2];
  if (status === undefined) throw notHttp(text);
  return Number(status);
}

/** Whether every reader takes an interim response (1xx) for one: it has no body, and is written as RFC 9112 has it. */
export function isExactInterim(text: string): boolean {
  const isExact = exactPattern.test(text) && !controlPattern.test(text);
  return isExact && !/^(?:content-length|transfer-encoding):/im.test(text);
}

/** Reads a head with this status, as Latin-1 up to its empty line. `isBodiless`: no body, whatever the headers say. Throws BadAnswer. */
export function readHead(text: string, status: number, isBodiless: boolean): Head {
  if (controlPattern.test(text)) throw invalid('its headers have a control character');
  const values = readLines(text);
  const length = lengthOf(values.get('content-length'));
  const coding = values.get('transfer-encoding');
  const announced = framingOf(coding, length);
  const hasLength = announced.kind === 'length' && announced.bytes > 0;
  // Who announces a body where there is none may also send it.
  const isOddlyBodiless = isBodiless && (hasLength || announced.kind === 'chunked');
  const isExact =
    exactPattern.test(text) &&
    !isOddlyBodiless &&
    // RFC 9112, section 6.1: HTTP/1.0 has no codings.
    (coding === undefined ||
      (coding.toLowerCase() === 'chunked' && length === null && text.startsWith('HTTP/1.1'))) &&
    !(values.get('content-length') ?? '').includes(',');
  return {
    status,
    framing: isBodiless ? { kind: 'none' } : announced,
    isExact,
    persists: persists(text, values),
    keepAliveSeconds: secondsIn(values.get('keep-alive')),
    contentCoding: codingOf(values.get('content-encoding')),
    charset: /;[ \t]*charset="?([^";,\s]+)/i.exec(values.get('content-type') ?? '')?.[1] ?? null,
    location: values.get('location')?.slice(0, maxLocationLength) ?? null,
    retryAfter: values.get('retry-after')?.slice(0, maxLocationLength) ?? null,
  };
}

function readLines(text: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  /** The header that a folded line continues: null for one that is not kept, undefined before the first. */
  let last: string | null | undefined;
  let at = text.indexOf('\n') + 1;
  for (;;) {
    const feed = text.indexOf('\n', at);
    const end = text.charCodeAt(feed - 1) === carriageReturn ? feed - 1 : feed;
    if (end <= at) return values;
    const first = text.charCodeAt(at);
    if (first === 32 || first === 9) {
      if (last === undefined) throw invalid('its first header begins with a blank');
      // RFC 9112, section 5.2
      if (last !== null)
        values.set(last, `${values.get(last)} ${withoutBlanks(text.slice(at, end))}`);
    } else {
      const colon = text.indexOf(':', at);
      if (colon === -1 || colon > end) throw invalid('one of its headers has no colon');
      const name = withoutBlanks(text.slice(at, colon)).toLowerCase();
      last = keep(values, name, text.slice(colon + 1, end));
    }
    at = feed + 1;
  }
}

/** Keeps what is of use. Returns the name of what a folded line would continue. */
function keep(values: Map<string, string>, name: string, given: string): string | null {
  const isList = lists.has(name);
  if (!isList && !singles.has(name)) return null;
  const value = withoutBlanks(given);
  const known = values.get(name);
  if (known === undefined) values.set(name, value);
  else if (isList) values.set(name, `${known},${value}`);
  else return null;
  return name;
}

/** The one length that all values give (RFC 9112, section 6.3); null without any. */
function lengthOf(value: string | undefined): number | null {
  if (value === undefined) return null;
  let length: number | null = null;
  for (const part of value.split(',')) {
    const digits = withoutBlanks(part);
    const one = /^\d+$/.test(digits) ? Number(digits) : NaN;
    if (!Number.isSafeInteger(one)) throw invalid('its content length is no length');
    if (length !== null && one !== length) {
      throw invalid(`it has two content lengths, ${length} and ${one}`);
    }
    length = one;
  }
  return length;
}

/** Chunks win over a length. Any other coding lasts until the connection ends. */
function framingOf(coding = '', length: number | null = null): Framing {
  if (coding === '' && length !== null) return { kind: 'length', bytes: length };
  const codings = coding
    .toLowerCase()
    .split(',')
    .map(withoutBlanks)
    .filter((one) => one !== '' && one !== 'identity');
  if (codings.at(-1) === 'chunked') return { kind: 'chunked' };
  if (codings.length > 0 || length === null) return { kind: 'close' };
  return { kind: 'length', bytes: length };
}

function persists(text: string, values: ReadonlyMap<string, string>): boolean {
  const options = `${values.get('connection') ?? ''},${values.get('proxy-connection') ?? ''}`;
  if (closePattern.test(options)) return false;
  return text.startsWith('HTTP/1.1') || keepAlivePattern.test(options);
}

function secondsIn(keepAlive = ''): number | null {
  const digits = /\btimeout=(\d{1,9})/i.exec(keepAlive)?.[1];
  return digits === undefined ? null : Number(digits);
}

function codingOf(value = ''): string | null {
  const coding = value.toLowerCase();
  return coding === '' || coding === 'identity' ? null : coding;
}

/** Where the head ends that begins at `from`, after its empty line; -1 if it is not complete. `seen` bytes were looked at before. */
export function headEnd(bytes: Buffer, from: number, seen: number): number {
  for (let at = Math.max(from, from + seen - 2); at < bytes.length; at += 1) {
    if (bytes[at] !== lineFeed) continue;
    if (bytes[at + 1] === lineFeed) return at + 2;
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) return at + 3;
  }
  return -1;
}

/** Where the first byte is that is not of an empty line. */
export function skipEmptyLines(bytes: Buffer): number {
  let at = 0;
  while (bytes[at] === lineFeed || bytes[at] === carriageReturn) at += 1;
  return at;
}
