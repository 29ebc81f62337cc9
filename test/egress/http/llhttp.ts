/** Node's own parser of HTTP/1.1 (llhttp, strict), as a second opinion on an answer. */

import { createRequire } from 'node:module';

export interface Verdict {
  status: number | null;
  /** Lower-case names and their values, in order. */
  headers: [name: string, value: string][];
  body: string;
  isComplete: boolean;
  /** Whether the connection may carry another answer. */
  persists: boolean;
  /** Why it is no answer; null if it is one. */
  error: string | null;
}

interface Parser {
  [event: number]: (...given: never[]) => number | void;
  initialize(kind: number, resource: object, maxHeaderSize: number, lenient: number): void;
  execute(bytes: Buffer): number | (Error & { code: string });
  finish(): (Error & { code: string }) | undefined;
  close(): void;
}

interface ParserClass {
  new (): Parser;
  readonly RESPONSE: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}

const { HTTPParser } = createRequire(import.meta.url)('node:_http_common') as {
  HTTPParser: ParserClass;
};

/** Reads an answer that comes in these pieces, and then the end of the connection. */
export function readByLlhttp(pieces: readonly Buffer[], isHead: boolean): Verdict {
  const found: Verdict = {
    status: null,
    headers: [],
    body: '',
    isComplete: false,
    persists: false,
    error: null,
  };
  let kept: string[] = [];
  let isInterim = false;
  const parser = new HTTPParser();
  parser.initialize(HTTPParser.RESPONSE, {}, 1 << 20, 0);
  parser[HTTPParser.kOnHeaders] = (headers: string[]) => {
    kept.push(...headers);
  };
  parser[HTTPParser.kOnHeadersComplete] = (
    ...[, , headers = kept, , , status, , , persists]: [
      number,
      number,
      string[] | undefined,
      unknown,
      unknown,
      number,
      unknown,
      unknown,
      boolean,
    ]
  ) => {
    isInterim = status < 200;
    if (found.isComplete) return 0;
    if (!isInterim) {
      found.status = status;
      found.persists = persists;
      for (let index = 0; index < headers.length; index += 2) {
        found.headers.push([(headers[index] ?? '').toLowerCase(), headers[index + 1] ?? '']);
      }
    }
    kept = [];
    // 1: there is no body.
    return isHead ? 1 : 0;
  };
  parser[HTTPParser.kOnBody] = (body: Buffer) => {
    if (!isInterim && !found.isComplete) found.body += body.toString('latin1');
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    if (!isInterim) found.isComplete = true;
  };
  for (const piece of pieces) {
    const result = parser.execute(piece);
    if (typeof result !== 'number' && !found.isComplete) found.error = result.code;
    if (typeof result !== 'number') return found;
  }
  const atEnd = parser.finish();
  if (atEnd !== undefined && !found.isComplete && found.status === null) found.error = atEnd.code;
  parser.close();
  return found;
}
