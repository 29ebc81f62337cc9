/** JSON indented for reading, token by token and never parsed: numbers, duplicate keys and escapes stay as they were sent. */

/** A string up to its end. One character at a time, so that no input makes it search twice. */
const string = String.raw`"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*`;
const integer = String.raw`-?(?:0|[1-9]\d*)`;
/** A string, a number, a word or a mark. */
const token = new RegExp(
  String.raw`${string}"|${integer}(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])|(?:true|false|null)(?!\w)|[[\]{},:]`,
  'y',
);
/** What the end of the text may leave of a token. */
const cutToken = new RegExp(
  String.raw`(?:${string}(?:\\(?:u[\da-fA-F]{0,3})?)?|(?:-|${integer}(?:\.\d*|(?:\.\d+)?[eE][+-]?)?)|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?)$`,
  'y',
);
const blanks = /[ \t\r\n]*/y;

/** Deeper levels are indented like this one: a text of brackets alone must not become megabytes of blanks. */
const deepest = 32;

/** What may come next. */
type Next = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/** Indents JSON, also if its end was cut off; null for other text. */
export function pretty(source: string): string | null {
  const open: string[] = [];
  let next: Next = 'value';
  let text = '';
  const newLine = (): string => `\n${'  '.repeat(Math.min(open.length, deepest))}`;
  const ended = (): Next => (open.length === 0 ? 'nothing' : 'comma or end');

  let at = source.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    at += matchAt(blanks, source, at).length;
    if (at === source.length) break;
    const found = matchAt(token, source, at);
    if (found === '') {
      const rest = matchAt(cutToken, source, at);
      const isPlace = next.startsWith('value') || (next.startsWith('key') && rest.startsWith('"'));
      if (rest === '' || open.length === 0 || !isPlace) return null;
      if (next.endsWith('or end')) text += newLine();
      return text + rest;
    }
    at += found.length;
    if (found === '}' || found === ']') {
      const isEmpty = next === 'key or end' || next === 'value or end';
      if ((!isEmpty && next !== 'comma or end') || open.pop() !== found) return null;
      text += isEmpty ? found : newLine() + found;
      next = ended();
    } else if (found === ',') {
      if (next !== 'comma or end') return null;
      text += found + newLine();
      next = open.at(-1) === '}' ? 'key' : 'value';
    } else if (found === ':') {
      if (next !== 'colon') return null;
      text += ': ';
      next = 'value';
    } else {
      const isKey = next.startsWith('key');
      if (isKey ? !found.startsWith('"') : !next.startsWith('value')) return null;
      if (next.endsWith('or end')) text += newLine();
      text += found;
      if (found === '{' || found === '[') {
        open.push(found === '{' ? '}' : ']');
        next = found === '{' ? 'key or end' : 'value or end';
      } else next = isKey ? 'colon' : ended();
    }
  }
  return text === '' ? null : text;
}

function matchAt(pattern: RegExp, source: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0] ?? '';
}
