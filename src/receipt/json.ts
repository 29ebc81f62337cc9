/**
 * A strict reader for foreign JSON: it accepts nothing that two programs could read differently. JSON.parse takes the last
 * of two members with one name, rounds numbers and accepts half a surrogate pair. All of that is refused here, and so is
 * what receipts and keys do not need: numbers other than plain whole ones, deep nesting and large documents.
 */

import { hasLoneSurrogate } from './canonical.ts';
import { invalid, shown, unreadable, type Refusal } from './refusal.ts';

/** A JSON value. Objects are maps, so that no member name is special, not even `__proto__`. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

/** Largest document, in bytes. A receipt has about 1,000. */
export const maxDocumentBytes = 65_536;
const maxDepth = 16;

/** The value of a document in UTF-8. Throws Refusal: `unreadable` if it is no JSON, else `invalid`. */
export function readJson(bytes: Uint8Array): Json {
  if (bytes.length > maxDocumentBytes) {
    throw unreadable(`it has ${bytes.length} bytes, more than ${maxDocumentBytes}`);
  }
  const reader = new Reader(decodeUtf8(bytes));
  const value = reader.value(0);
  reader.end();
  return value;
}

/** The text of bytes. Throws Refusal if they are not UTF-8, or begin with a byte order mark. */
export function decodeUtf8(bytes: Uint8Array): string {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadable('it is not UTF-8');
  }
  if (text.startsWith('\ufeff')) throw unreadable('it begins with a byte order mark');
  return text;
}

// oxlint-disable-next-line no-control-regex -- JSON excludes control characters
const stringToken = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const numberToken = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const wordToken = /true|false|null/y;
const space = /[ \t\n\r]*/y;
const words: Record<string, boolean | null> = { true: true, false: false, null: null };

/** Reads a text from its beginning to its end. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): Json {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth + 1);
    if (first === '[') return this.#array(depth + 1);
    if (first === '"') return this.#string();
    const word = this.#take(wordToken);
    return word === undefined ? this.#number() : (words[word] ?? null);
  }

  end(): void {
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  #object(depth: number): JsonObject {
    const members = new Map<string, Json>();
    this.#list('}', depth, () => {
      this.#skipSpace();
      const name = this.#string();
      if (members.has(name)) throw invalid(`it has two members named ${shown(name)}`);
      this.#skipSpace();
      if (!this.#skip(':')) throw this.#unexpected();
      members.set(name, this.value(depth));
    });
    return members;
  }

  #array(depth: number): readonly Json[] {
    const items: Json[] = [];
    this.#list(']', depth, () => items.push(this.value(depth)));
    return items;
  }

  /** Reads items between commas, from the opening bracket to the closing one. */
  #list(close: string, depth: number, readItem: () => void): void {
    if (depth > maxDepth) throw invalid(`it is nested more than ${maxDepth} deep`);
    this.#at++;
    this.#skipSpace();
    if (this.#skip(close)) return;
    do {
      readItem();
      this.#skipSpace();
    } while (this.#skip(','));
    if (!this.#skip(close)) throw this.#unexpected();
  }

  #string(): string {
    const token = this.#take(stringToken);
    if (token === undefined) throw this.#unexpected();
    const text = JSON.parse(token) as string;
    if (hasLoneSurrogate(text)) throw invalid(`${shown(text)} is not Unicode`);
    return text;
  }

  #number(): number {
    const token = this.#take(numberToken);
    if (token === undefined) throw this.#unexpected();
    const value = Number(token);
    if (Number.isSafeInteger(value) && String(value) === token) return value;
    throw invalid(`${shown(token)} is not a plain whole number`);
  }

  #skipSpace(): void {
    this.#take(space);
  }

  #skip(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #take(token: RegExp): string | undefined {
    token.lastIndex = this.#at;
    const match = token.exec(this.#text)?.[0];
    if (match !== undefined) this.#at += match.length;
    return match;
  }

  #unexpected(): Error {
    const rest = this.#text.slice(this.#at, this.#at + 1);
    if (this.#text.trim() === '') return unreadable('the file is empty');
    return unreadable(
      rest === ''
        ? 'it is not JSON: it ends too early'
        : `it is not JSON: ${shown(rest)} at character ${this.#at + 1}`,
    );
  }
}

/** The value as an object; `what` names it in refusals. Throws Refusal, `invalid`, if it is none. */
export function objectOf(value: Json | undefined, what: string): JsonObject {
  if (value instanceof Map) return value;
  throw invalid(value === undefined ? `${what} is missing` : `${what} is not an object`);
}

/** Requires an object to have no members but these. */
export function demandOnly(object: JsonObject, names: readonly string[], what: string): void {
  for (const name of object.keys()) {
    if (!names.includes(name)) throw invalid(`${what} has an unknown field ${shown(name)}`);
  }
}

/** The member as text. */
export function textOf(object: JsonObject, name: string, what: string): string {
  const value = object.get(name);
  if (typeof value === 'string') return value;
  throw wrongField(value, name, what, 'a text');
}

/** The refusal of a member's value. */
export function wrongField(
  value: Json | undefined,
  name: string,
  what: string,
  right: string,
): Refusal {
  if (value === undefined) return invalid(`${what} has no ${name}`);
  const got = typeof value === 'object' && value !== null ? '' : `, got ${shown(String(value))}`;
  return invalid(`${name} of ${what} must be ${right}${got}`);
}
