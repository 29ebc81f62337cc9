/**
 * The options and operands among the words of a command, by the conventions of getopt_long(3): short options may
 * stand together, `-XPOST` holds its value, options may follow operands, and `--` ends them.
 */

import type { Remark } from './remark.ts';

/** What a command does with its options. `Draft` is what they change. */
export interface OptionRule<Draft> {
  takesValue: boolean;
  /** `written` is the option as it stood there, without its value. */
  apply: (draft: Draft, value: string, written: string) => void;
}

export interface OptionSyntax<Draft> {
  /** By long name. */
  rules: Readonly<Record<string, OptionRule<Draft>>>;
  /** What follows a single dash, to long names. */
  shorts: Readonly<Record<string, string>>;
  /** Whether `--name=value` is taken. */
  hasEquals: boolean;
}

/** Applies the options to the draft, in their order; returns the operands, and what is no option of the command. */
export function applyOptions<Draft>(
  words: readonly string[],
  { rules, shorts, hasEquals }: OptionSyntax<Draft>,
  draft: Draft,
): { operands: string[]; unknown: Remark[] } {
  const operands: string[] = [];
  const unknown: Remark[] = [];
  let index = 0;
  /** Applies one option; `attached` is what stands behind it in its word. Returns whether that was its value. */
  const applyOne = (
    name: string | undefined,
    written: string,
    attached: string | null,
  ): boolean => {
    const rule = name !== undefined && Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) {
      unknown.push({ text: cut(written), reason: 'there is no such option that jobd knows' });
      return true;
    }
    if (!rule.takesValue) {
      rule.apply(draft, '', written);
      return false;
    }
    const value = attached ?? words[++index];
    if (value === undefined) unknown.push({ text: written, reason: 'it needs a value' });
    else rule.apply(draft, value, written);
    return true;
  };
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '--') return { operands: [...operands, ...words.slice(index + 1)], unknown };
    if (word.startsWith('--')) {
      const equals = hasEquals ? word.indexOf('=') : -1;
      const name = equals === -1 ? word.slice(2) : word.slice(2, equals);
      const value = equals === -1 ? null : word.slice(equals + 1);
      if (!applyOne(name, `--${name}`, value) && value !== null) {
        unknown.push({ text: `--${name}`, reason: 'it takes no value' });
      }
    } else if (word.startsWith('-') && word !== '-') {
      applyShorts(word, shorts, applyOne);
    } else {
      operands.push(word);
    }
  }
  return { operands, unknown };
}

function applyShorts(
  word: string,
  shorts: Readonly<Record<string, string>>,
  applyOne: (name: string | undefined, written: string, attached: string | null) => boolean,
): void {
  // Two letters may be one option, as `-nv` of wget.
  if (word.length === 3 && Object.hasOwn(shorts, word.slice(1))) {
    applyOne(shorts[word.slice(1)], word, null);
    return;
  }
  for (let at = 1; at < word.length; at += 1) {
    const letter = word[at] ?? '';
    const name = Object.hasOwn(shorts, letter) ? shorts[letter] : undefined;
    if (applyOne(name, `-${letter}`, word.slice(at + 1) || null)) return;
  }
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
