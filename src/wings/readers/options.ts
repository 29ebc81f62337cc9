/**
 * Reads the options of a command into a draft of its call, from a table. The conventions are those of getopt_long(3):
 * short options can be joined, `-XPOST` holds its value, options can follow operands, and `--` ends them.
 */
import { asPlainDashes } from './typographic.ts';
import type { CallDraft } from './written-call.ts';

/** What an option changes. `written` is the option as it was written, without its value. */
export type Apply = (draft: CallDraft, value: string, written: string) => void;

/** Options that share a reason, separated by spaces; `request/X` is `--request` and `-X`. */
export interface OptionGroup {
  reason: string;
  flags?: string;
  values?: string;
}

export interface CommandSyntax {
  /** Options that have no effect on the request. */
  ignored: readonly OptionGroup[];
  /** Options that a job honours in another way. */
  adapted: readonly OptionGroup[];
  /** Options that a job cannot honour. */
  refused: readonly OptionGroup[];
  /** Options without a value, by name as in a group. */
  flags: Readonly<Record<string, Apply>>;
  /** Options with a value. */
  values: Readonly<Record<string, Apply>>;
  /** Whether `--name=value` is allowed. */
  hasEquals: boolean;
}

interface Option {
  takesValue: boolean;
  apply: Apply;
}

/** Reads the words into the draft. Operands are URLs. */
export type ReadOptions = (words: readonly string[], draft: CallDraft) => void;

/** The reader for a command. */
export function optionReader(syntax: CommandSyntax): ReadOptions {
  const table = tableOf(syntax);
  return (words, draft) => {
    for (let index = 0; index < words.length; index += 1) {
      const word = withPlainDash(words[index] ?? '', table, draft);
      if (word === '--') {
        for (const operand of words.slice(index + 1)) draft.urls.push(operand);
        return;
      }
      if (!word.startsWith('-') || word === '-') draft.urls.push(word);
      else {
        for (const { written, attached } of optionsIn(word, table, syntax.hasEquals)) {
          const option = table.get(written);
          if (option === undefined) {
            draft.refuse(cut(written), 'jobd does not know this option');
            draft.hasUnknown = true;
          } else if (!option.takesValue) {
            if (attached === null) option.apply(draft, '', written);
            else draft.refuse(written, 'it takes no value');
          } else {
            const value = attached ?? words[++index];
            if (value === undefined) draft.refuse(written, 'it needs a value');
            else option.apply(draft, value, written);
          }
        }
      }
    }
  };
}

/** Every option by `--name` and `-n`. */
function tableOf({ ignored, adapted, refused, flags, values }: CommandSyntax): Map<string, Option> {
  const table = new Map<string, Option>();
  const add = (names: string | undefined, option: Option): void => {
    for (const name of names?.split(/\s+/) ?? []) {
      const [long, short] = name.split('/');
      table.set(`--${long}`, option);
      if (short !== undefined) table.set(`-${short}`, option);
    }
  };
  const addGroup = (group: OptionGroup, apply: Apply): void => {
    add(group.flags, { takesValue: false, apply });
    add(group.values, { takesValue: true, apply });
  };
  for (const group of ignored) {
    addGroup(group, (draft, _, text) => draft.ignored.push({ text, reason: group.reason }));
  }
  for (const group of adapted) {
    addGroup(group, (draft, _, text) => draft.adapt(text, group.reason));
  }
  for (const group of refused) {
    addGroup(group, (draft, _, text) => draft.refuse(text, group.reason));
  }
  for (const [names, apply] of Object.entries(flags)) add(names, { takesValue: false, apply });
  for (const [names, apply] of Object.entries(values)) add(names, { takesValue: true, apply });
  return table;
}

/** The options in a word, each with the text that is attached to it. */
function optionsIn(
  word: string,
  table: ReadonlyMap<string, Option>,
  hasEquals: boolean,
): { written: string; attached: string | null }[] {
  if (word.startsWith('--')) {
    const equals = hasEquals ? word.indexOf('=') : -1;
    if (equals === -1) return [{ written: word, attached: null }];
    return [{ written: word.slice(0, equals), attached: word.slice(equals + 1) }];
  }
  // Two letters can be one option, like `-nv` of wget.
  if (table.has(word)) return [{ written: word, attached: null }];
  const options = [];
  for (let at = 1; at < word.length; at += 1) {
    const written = `-${word[at]}`;
    const option = table.get(written);
    if (option === undefined || option.takesValue) {
      return [...options, { written, attached: word.slice(at + 1) || null }];
    }
    options.push({ written, attached: null });
  }
  return options;
}

/** A web page makes one dash of `--`, and a longer one of `-`. */
function withPlainDash(word: string, table: ReadonlyMap<string, Option>, draft: CallDraft): string {
  const [, rest] = /^[\u2010-\u2015\u2212]+([^]*)$/.exec(word) ?? [];
  if (rest === undefined) return word;
  if (!draft.adapted.includes(asPlainDashes)) draft.adapted.push(asPlainDashes);
  return table.has(`--${rest.split('=', 1)[0]}`) ? `--${rest}` : `-${rest}`;
}

function cut(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
