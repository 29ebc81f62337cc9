/**
 * JSON bodies as text that can be kept: UTF-8 (RFC 8259 section 8.1), and no half of a surrogate pair
 * in any string, which no database and no header could hold (RFC 8259 section 8.2).
 */

import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
import { invalidInput } from '../../domain/errors.ts';

/** Only an escape can bring half a pair: UTF-8 itself has none. */
const surrogateEscape = /\\u[dD][89a-fA-F]/;

/** Clients say `application/json` also where they send nothing, as when they ask for a run. */
export function acceptJsonOnly(server: FastifyInstance): void {
  server.removeContentTypeParser('text/plain');
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request, bytes: Buffer, done) => {
      if (bytes.length === 0) return done(null, undefined);
      if (!isUtf8(bytes)) return done(invalidInput('the body must be UTF-8'));
      const text = bytes.toString('utf8');
      return void parse(request, text, (error, body) => {
        const broken = error === null && surrogateEscape.test(text) ? brokenText(body) : null;
        if (error !== null) done(invalidInput(refusalOf(text)));
        else if (broken === null) done(null, body);
        else done(invalidInput(`${broken} must be well-formed Unicode, got half a surrogate pair`));
      });
    },
  );
}

/** The parser refuses both alike. */
function refusalOf(text: string): string {
  return isJson(text)
    ? 'the body must not have a key __proto__, or constructor with prototype inside'
    : 'the body must be valid JSON';
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Where the first broken string of a JSON value is, or null. No recursion: bodies may be deep. */
function brokenText(body: unknown): string | null {
  const open: { value: unknown; path: string[] }[] = [{ value: body, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !value.isWellFormed()) return nameOf(path);
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (!key.isWellFormed()) return 'each field name';
      // Two steps say where it is; the rest of a deep path would only cost.
      open.push({ value: inner, path: path.length < 2 ? [...path, key] : path });
    }
  }
  return null;
}

function nameOf(path: readonly string[]): string {
  return path.length === 0
    ? 'the body'
    : path.map((step) => step.slice(0, 60).toWellFormed()).join('.');
}
