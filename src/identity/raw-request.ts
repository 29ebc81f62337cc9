/** A saved HTTP request: its request line, headers and body, as they were received. */

import { withoutBlanks } from '../domain/blanks.ts';
import { got, invalidInput } from '../domain/errors.ts';

/** A request as it can be checked. */
export interface SavedRequest {
  method: string;
  /** The whole URL that was called. */
  targetUri: string;
  /** By names in lower case; the values of a header that is there twice are joined (RFC 9421, section 2.1). */
  headers: ReadonlyMap<string, string>;
  body: Uint8Array;
}

/** Far more than jobd sends. */
const mostRequestBytes = 1024 * 1024;

/** Reads a saved request, with either line end. `scheme` is that of a target without one. Throws `invalid_input` if it is none. */
export function readRequest(bytes: Uint8Array, scheme: 'http' | 'https'): SavedRequest {
  if (bytes.length > mostRequestBytes) throw unreadable('it has more than 1 MiB');
  // One character for each byte, so that places in the text are places in the bytes.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  const end = /\r?\n\r?\n/.exec(text);
  const head = end === null ? text.trimEnd() : text.slice(0, end.index);
  const body = end === null ? new Uint8Array() : bytes.subarray(end.index + end[0].length);
  const [first = '', ...lines] = head.split(/\r?\n/);
  const [, method, target] = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/.exec(first) ?? [];
  if (method === undefined || target === undefined) {
    throw unreadable('its first line is not METHOD TARGET HTTP/1.1');
  }
  const headers = readHeaders(lines);
  return { method, targetUri: wholeUri(target, headers.get('host'), scheme), headers, body };
}

function readHeaders(lines: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0));
    const value = withoutBlanks(line.slice(colon + 1));
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name) || value.includes('\r')) {
      throw unreadable(`a line is not NAME: VALUE: ${JSON.stringify(line.slice(0, 60))}`);
    }
    const known = headers.get(name.toLowerCase());
    headers.set(name.toLowerCase(), known === undefined ? value : `${known}, ${value}`);
  }
  return headers;
}

/** The target as it was written: what a URL parser would make equal, a server may tell apart. */
function wholeUri(target: string, host: string | undefined, scheme: string): string {
  const isWhole = /^https?:\/\//i.test(target);
  if (!isWhole && host === undefined) {
    throw unreadable('it has no Host header: add one, or write the whole URL in its first line');
  }
  if (!isWhole && !/^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d+)?$/i.test(host ?? '')) {
    throw unreadable(`its Host is not HOST or HOST:PORT, ${got(host ?? '')}`);
  }
  if (!isWhole && !/^\/[^#\\]*$/.test(target)) {
    throw unreadable(`its target must begin with / and have no # and no \\, ${got(target)}`);
  }
  const written = isWhole ? target : `${scheme}://${host}${target}`;
  const url = URL.parse(written);
  if (url === null || url.hash !== '') throw unreadable('its target and its Host are no URL');
  const path = /^https?:\/\/[^/?#]*(.*)$/i.exec(written)?.[1] ?? '';
  return `${url.origin}${path.startsWith('/') ? path : `/${path}`}`;
}

function unreadable(why: string): Error {
  return invalidInput(`the request cannot be read: ${why}`);
}
