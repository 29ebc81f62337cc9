/** The parts of a regular expression. What is in a class is left to the engine of the language. */

/** Where the text must be, or what must be around it. */
export type Part =
  | { kind: 'character'; has: (unit: string) => boolean }
  | { kind: 'sequence'; parts: readonly Part[] }
  | { kind: 'choice'; parts: readonly Part[] }
  | { kind: 'repeat'; part: Part; least: number; most: number; isLazy: boolean }
  | { kind: 'group'; part: Part; number: number; name: string | null }
  | { kind: 'around'; part: Part; isBehind: boolean; isNegated: boolean }
  | { kind: 'place'; mark: '^' | '$' | 'b' | 'B' }
  | { kind: 'again'; group: number | string };

/** A pattern and all that it tells about single characters. */
export interface Parsed {
  part: Part;
  characters: ((unit: string) => boolean)[];
}

const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})(\??)/;
const escape = /^\\(?:u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])/;

/** Parses a pattern. Throws for what it does not know. */
export function parsePattern(source: string, flags: string): Parsed {
  let at = 0;
  let groups = 0;
  const characters: Parsed['characters'] = [];
  const classFlags = flags.replaceAll(/[gyd]/g, '').replaceAll('m', '');

  /** A class, an escape or a letter, which the engine compares. */
  const character = (text: string): Part => {
    const pattern = new RegExp(`^${text}$`, classFlags);
    const known = new Map<string, boolean>();
    const has = (unit: string): boolean => {
      const before = known.get(unit);
      // `$` stands before a last line end only with `m`, so that this compares one character.
      const fits = before ?? pattern.test(unit);
      if (before === undefined) known.set(unit, fits);
      return fits;
    };
    characters.push(has);
    return { kind: 'character', has };
  };

  const choice = (): Part => {
    const parts = [sequence()];
    while (source[at] === '|') {
      at += 1;
      parts.push(sequence());
    }
    return parts.length === 1 ? (parts[0] as Part) : { kind: 'choice', parts };
  };

  const sequence = (): Part => {
    const parts: Part[] = [];
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      parts.push(repeated(one()));
    }
    return parts.length === 1 ? (parts[0] as Part) : { kind: 'sequence', parts };
  };

  const repeated = (part: Part): Part => {
    const found = quantifier.exec(source.slice(at, at + 40));
    if (found === null) return part;
    const [all, mark, from, comma, to, lazy] = found;
    at += all.length;
    const least = mark === undefined ? Number(from) : mark === '+' ? 1 : 0;
    const end = comma === '' ? least : to === '' ? Infinity : Number(to);
    const most = mark === undefined ? end : mark === '?' ? 1 : Infinity;
    return { kind: 'repeat', part, least, most, isLazy: lazy === '?' };
  };

  const inside = (open: string): Part => {
    at += open.length;
    const part = choice();
    if (source[at] !== ')') throw new Error(`no ) at ${at} of ${source}`);
    at += 1;
    return part;
  };

  const group = (): Part => {
    const rest = source.slice(at);
    const around = /^\(\?(<?)([=!])/.exec(rest);
    if (around !== null) {
      const [open, behind, sign] = around;
      const part = inside(open);
      return { kind: 'around', part, isBehind: behind === '<', isNegated: sign === '!' };
    }
    if (rest.startsWith('(?:')) return inside('(?:');
    const [open = '(', name = null] = /^\(\?<(\w+)>/.exec(rest) ?? [];
    if (open === '(' && rest.startsWith('(?')) throw new Error(`unknown group in ${source}`);
    groups += 1;
    const number = groups;
    return { kind: 'group', part: inside(open), number, name };
  };

  const one = (): Part => {
    const next = source[at] ?? '';
    if (next === '(') return group();
    if (next === '^' || next === '$') {
      at += 1;
      return { kind: 'place', mark: next };
    }
    const rest = source.slice(at);
    const boundary = /^\\([bB])/.exec(rest)?.[1];
    if (boundary === 'b' || boundary === 'B') {
      at += 2;
      return { kind: 'place', mark: boundary };
    }
    const again = /^\\(?:([1-9]\d*)|k<(\w+)>)/.exec(rest);
    if (again !== null) {
      at += again[0].length;
      return { kind: 'again', group: again[2] ?? Number(again[1]) };
    }
    const text = next === '[' ? classAt(rest) : (escape.exec(rest)?.[0] ?? next);
    at += text.length;
    // Outside of a class these are letters where the engine lets them be.
    return character(text === '{' || text === '}' || text === ']' ? `\\${text}` : text);
  };

  const part = choice();
  if (at < source.length) throw new Error(`unread at ${at} of ${source}`);
  return { part, characters };
}

/** A class with its brackets. */
function classAt(text: string): string {
  for (let at = 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === ']') return text.slice(0, at + 1);
  }
  throw new Error(`no ] in ${text}`);
}
