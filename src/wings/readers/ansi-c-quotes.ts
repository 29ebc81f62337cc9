/**
 * `$'…'`, quotes with escapes (POSIX.1-2024 Shell Command Language 2.2.4, and `\u`, `\U`, `\E`, `\?` as in bash).
 * Browsers write them when they copy a request as curl.
 */

import { ifPossible } from '../../domain/errors.ts';

/** The text in such quotes, the index after them, and why they cannot be read. */
export interface AnsiCQuoted {
  value: string;
  end: number;
  problem: string | null;
}

const letters: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '?': '?',
  a: '\u0007',
  b: '\b',
  e: '\u001b',
  E: '\u001b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Plain text; an escape by letter, byte (hexadecimal or octal), code point or control character; a lone backslash. */
const token =
  /[^\\']+|\\(?:(["'\\?abeEfnrtv])|x([0-9a-fA-F]{1,2})|([0-7]{1,3})|(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))|c([A-Za-z[\]^_?]))|\\/y;

/** Reads the quotes whose first character after `$'` is at `start`. Null if they are never closed. */
export function readAnsiCQuotes(text: string, start: number): AnsiCQuoted | null {
  let value = '';
  let problem: string | null = null;
  let bytes: number[] = [];
  // Bytes form text only together: `\xc3\xa9` is one character.
  const add = (decoded: string): void => {
    const before = decode(bytes);
    bytes = [];
    if (before === null) problem = 'its escapes are not UTF-8';
    value += (before ?? '') + decoded;
  };
  let at = start;
  for (; text[at] !== "'"; at = token.lastIndex) {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) return null;
    const [all, letter, hex, octal, short, long, control] = match;
    const code =
      octal === undefined ? parseInt(hex ?? short ?? long ?? '', 16) : parseInt(octal, 8);
    const isByte = hex !== undefined || octal !== undefined;
    if (letter !== undefined) add(letters[letter] ?? '');
    else if (control !== undefined) add(controlCharacter(control));
    else if (all === '\\') problem ??= `shells differ on ${text.slice(at, at + 2)}`;
    else if (Number.isNaN(code)) add(all);
    else if (code > (isByte ? 0xff : 0x10_ffff)) problem ??= `${all} is not a character`;
    else if (isByte) bytes.push(code);
    else add(String.fromCodePoint(code));
  }
  add('');
  if (value.includes('\0')) problem = 'a word cannot hold NUL';
  if (!value.isWellFormed()) problem = 'its escapes are half a character';
  return { value, end: at + 1, problem };
}

function controlCharacter(name: string): string {
  return String.fromCodePoint(name === '?' ? 0x7f : name.charCodeAt(0) & 0x1f);
}

function decode(bytes: readonly number[]): string | null {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  return ifPossible(() => decoder.decode(Uint8Array.from(bytes))) ?? null;
}
