/**
 * `$'…'`, the quotes with escapes (POSIX.1-2024 Shell Command Language 2.2.4, and `\u`, `\U`, `\E`, `\?` as bash
 * adds them): what browsers write when a request is copied as a curl command.
 */

/** What such quotes hold, where the text goes on behind them, and why they cannot be read, if so. */
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

const numbered =
  /^(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c([A-Za-z[\]^_?]))/;

/** Reads the quotes whose first character behind `$'` is at `start`. Null if they are never closed. */
export function readAnsiCQuotes(text: string, start: number): AnsiCQuoted | null {
  let value = '';
  let problem: string | null = null;
  let bytes: number[] = [];
  // Bytes stand for text only together: `\xc3\xa9` is one character.
  const endBytes = (): void => {
    const decoded = decode(bytes);
    bytes = [];
    if (decoded === null) problem = 'its escapes are bytes that are no UTF-8 text';
    else value += decoded;
  };
  let at = start;
  for (;;) {
    const character = text[at];
    if (character === undefined) return null;
    if (character === "'") break;
    const { byte, string, length, wrong } = character === '\\' ? escapeAt(text, at) : plain;
    problem ??= wrong;
    if (byte === null) {
      endBytes();
      value += string ?? character;
    } else {
      bytes.push(byte);
    }
    at += length;
  }
  endBytes();
  if (value.includes('\0')) problem = 'no word can hold a NUL';
  if (!value.isWellFormed()) problem = 'its escapes are half a character';
  return { value, end: at + 1, problem };
}

interface Escape {
  /** Of a longer sequence, perhaps. */
  byte: number | null;
  string: string | null;
  length: number;
  wrong: string | null;
}

const plain: Escape = { byte: null, string: null, length: 1, wrong: null };

function escapeAt(text: string, at: number): Escape {
  const letter = letters[text[at + 1] ?? ''];
  if (letter !== undefined) return { ...plain, string: letter, length: 2 };
  const match = numbered.exec(text.slice(at + 1, at + 11));
  if (match === null) {
    return { ...plain, wrong: `no shell agrees on \\${text[at + 1] ?? ''} in it` };
  }
  const [all, hex, octal, short, long, control] = match;
  const length = all.length + 1;
  if (control !== undefined) {
    const code = control === '?' ? 0x7f : (control.codePointAt(0) ?? 0) & 0x1f;
    return { ...plain, string: String.fromCodePoint(code), length };
  }
  const code = octal === undefined ? parseInt(hex ?? short ?? long ?? '', 16) : parseInt(octal, 8);
  const isByte = hex !== undefined || octal !== undefined;
  if (code > (isByte ? 0xff : 0x10_ffff)) {
    return { ...plain, length, wrong: `\\${all} is no character` };
  }
  return isByte
    ? { ...plain, byte: code, length }
    : { ...plain, string: String.fromCodePoint(code), length };
}

function decode(bytes: readonly number[]): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes),
    );
  } catch {
    return null;
  }
}
