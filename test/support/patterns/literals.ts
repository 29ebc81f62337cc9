/** The regular expressions that are written in a file of TypeScript or JavaScript. */

/** A literal. */
export interface Literal {
  source: string;
  flags: string;
}

/** Words after which a slash begins a pattern; after other words it divides. */
const beforePattern = /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|await|yield)$/;

/** Finds the literals: what is in comments, texts and templates is none. */
export function literalsIn(code: string): Literal[] {
  const found: Literal[] = [];
  /** The depth of braces at which each open template continues. */
  const templates: number[] = [];
  let depth = 0;
  /** The code before, without blanks and comments; its end says whether a slash divides. */
  let before = '';
  let at = 0;
  const skip = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const text = pattern.exec(code)?.[0] ?? '';
    at += text.length;
    return text;
  };
  while (at < code.length) {
    const next = code[at] ?? '';
    if (skip(/\s+|\/\/[^\n]*|\/\*[^]*?\*\//y) !== '') continue;
    if (next === '"' || next === "'") {
      skip(/(["'])(?:\\[^]|(?!\1)[^\\])*\1/y);
      before = 'x';
    } else if (next === '`' || (next === '}' && templates.at(-1) === depth)) {
      if (next === '}') templates.pop();
      const text = skip(/[`}](?:\\[^]|\$(?!\{)|[^\\`$])*(?:`|\$\{)/y);
      if (text === '') throw new Error(`an open template at ${at}`);
      if (text.endsWith('${')) templates.push(depth);
      before = text.endsWith('${') ? '(' : 'x';
    } else if (next === '/' && (/[^\w$)\]}]$|^$/.test(before) || beforePattern.test(before))) {
      const text = skip(/\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y);
      const end = text.lastIndexOf('/');
      if (text === '') throw new Error(`no pattern at ${at}`);
      found.push({ source: text.slice(1, end), flags: text.slice(end + 1) });
      before = 'x';
    } else {
      const word = skip(/[\w$]+|[^]/y);
      if (word === '{') depth += 1;
      if (word === '}') depth -= 1;
      before = /^[\w$]/.test(word) && before.endsWith('.') ? `.${word}` : word;
    }
  }
  return found;
}
