/** Readers of text from outside, each of which gets each hostile text. */

import { steepGrowth } from './cost.ts';

/** What reads text from outside. */
export interface Reader {
  read: (text: string) => unknown;
  /** The most characters that reach it; 32,768 if nothing is said. */
  longest?: number;
  /** Texts that only this one has to fear, besides those for all: how they begin, and what comes again and again. */
  texts?: Readonly<Record<string, Hostile>>;
  /** Whether it gets the texts for all, too. */
  hasCommon?: boolean;
}

/** How a text begins, what comes again and again, and how it ends. */
export type Hostile = readonly [
  head: string,
  unit: string | ((index: number) => string),
  tail?: string,
];

/** Every character that has a meaning somewhere, again and again, with an end that fits nothing. */
const marks = 'a0 \t\n\r/.-_:;,=@#%$?&+*\\"\'`~()[]{}<>|!^'.split('');
const common: Record<string, Hostile> = {
  ...Object.fromEntries(
    marks.map((mark): [string, Hostile] => [JSON.stringify(mark), ['', mark, '\u2028!']]),
  ),
  'a letter each word': ['', 'a '],
  'a letter each line': ['', 'a\n'],
  'not ASCII': ['', 'é'],
  'half characters': ['', '\ud800'],
  lists: ['', '[]'],
  'dotted names': ['', 'a.'],
  'two blanks': ['a', ' \t', 'b'],
};

function textOf([head, unit, tail = '']: Hostile, length: number): string {
  let text = head;
  for (let index = 0; text.length < length - tail.length; index += 1) {
    text += typeof unit === 'string' ? unit : unit(index);
  }
  return text + tail;
}

/** The texts with which the work of a reader grows faster than they do, and what it takes. */
export function steepTexts({
  read,
  longest = 32_768,
  texts = {},
  hasCommon = true,
}: Reader): string[] {
  const safely = (text: string): void => {
    try {
      read(text);
    } catch {
      // A refusal, which is as good as an answer here.
    }
  };
  return Object.entries({ ...(hasCommon && common), ...texts }).flatMap(([what, hostile]) => {
    const costs = steepGrowth(safely, (length) => textOf(hostile, length), longest);
    const shown = costs?.map((ms) => `${ms.toFixed(2)} ms`).join(', ');
    return shown === undefined ? [] : [`${what}: ${shown}`];
  });
}
