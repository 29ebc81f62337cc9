/** Looks for a text for which a regular expression takes more steps than the text is long. */

import { parsePattern, type Parsed, type Part } from './parse.ts';
import { mostSteps, stepsOf } from './steps.ts';

/** All that patterns usually tell apart; some of them end a line only for JavaScript. */
const alphabet = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).concat(
  '\t\n\r\u0000\u0001\u001b\u007f\u009b\u0301\u2028é'.split(''),
);

/** A text that costs too much: the steps for some characters, and for twice as many. */
export interface Attack {
  text: string;
  steps: number[];
}

/** The attack on a pattern; null if none is found. Throws if the steps are not those of the engine of the language. */
export function findAttack(source: string, flags: string): Attack | null {
  const parsed = parsePattern(source, flags);
  const letters = lettersOf(parsed);
  const loops = loopsOf(parsed.part, '', letters);
  // A letter before it keeps an earlier loop from taking all.
  const before = new Set(['', ...loops.map(({ prefix }) => prefix)]);
  const prefixes = new Set([...before].flatMap((text) => ['', ...letters].map((it) => text + it)));
  const pumps = new Set([...letters, ...loops.flatMap(({ bodies }) => bodies)]);
  pumps.delete('');
  const engine = new RegExp(source, flags);
  for (const prefix of loops.length === 0 ? [] : prefixes) {
    for (const pump of pumps) {
      for (const tail of isAnchored(parsed) ? tails : [...tails, ...letters]) {
        const textOf = (times: number): string => prefix + pump.repeat(times) + tail;
        const short = stepsOf(parsed, flags, textOf(12));
        engine.lastIndex = 0;
        if (short.steps <= mostSteps && engine.test(textOf(12)) !== short.isFound) {
          throw new Error(`${source} is not understood: ${JSON.stringify(textOf(12))}`);
        }
        // So few are no square.
        if (short.steps < 5 * textOf(12).length) continue;
        const steps = [short.steps];
        // Thrice the steps for twice the text, again and again, is more than its length.
        while (steps.length < 4) {
          const next = stepsOf(parsed, flags, textOf(12 * 2 ** steps.length)).steps;
          const isSteep = next > mostSteps || next > 2.6 * (steps.at(-1) ?? 0);
          if (!isSteep) break;
          steps.push(next);
          if (next > mostSteps || steps.length === 4) return { text: textOf(12), steps };
        }
      }
    }
  }
  return null;
}

/** Ends that fit little. */
const tails = ['\u0001', '\u2028!', '\n', ''];

/** Whether the engine tries it at the start of the text only. */
function isAnchored({ part }: Parsed): boolean {
  const first = part.kind === 'sequence' ? part.parts[0] : part;
  return first?.kind === 'place' && first.mark === '^';
}

/** One letter for each set of characters that the pattern tells apart. */
function lettersOf({ characters }: Parsed): string[] {
  const byFits = new Map<string, string>();
  for (const letter of alphabet) {
    const fits = characters.map((has) => (has(letter) ? '1' : '0')).join('');
    if (!byFits.has(fits)) byFits.set(fits, letter);
  }
  return [...byFits.values()];
}

/** A short text that a part takes. */
function sampleOf(part: Part, letters: readonly string[], least = 0): string {
  switch (part.kind) {
    case 'character':
      return letters.find((letter) => part.has(letter)) ?? '';
    case 'sequence':
      return part.parts.map((one) => sampleOf(one, letters, least)).join('');
    case 'choice':
      return sampleOf(part.parts[0] as Part, letters, least);
    case 'group':
      return sampleOf(part.part, letters, least);
    case 'repeat':
      return sampleOf(part.part, letters, least).repeat(Math.max(part.least, least));
    case 'around':
    case 'place':
    case 'again':
      return '';
    default:
      return part satisfies never;
  }
}

interface Loop {
  /** What brings the pattern to the loop. */
  prefix: string;
  /** What the loop takes each time. */
  bodies: string[];
}

/** The parts that take any number of characters. */
function loopsOf(part: Part, prefix: string, letters: readonly string[]): Loop[] {
  switch (part.kind) {
    case 'sequence':
      return part.parts.flatMap((one, index) => {
        const before = { kind: 'sequence', parts: part.parts.slice(0, index) } as const;
        const after = part.parts.slice(index + 1);
        const end = after.findIndex(({ kind }) => kind === 'repeat');
        const next = { kind: 'sequence', parts: after.slice(0, end === -1 ? 20 : end) } as const;
        const loops = loopsOf(one, prefix + sampleOf(before, letters), letters);
        // What follows a loop may be taken by it, too.
        const bodies = [sampleOf(next, letters)];
        return loops.map(({ prefix: start, bodies: own }) => ({
          prefix: start,
          bodies: own.concat(bodies),
        }));
      });
    case 'choice':
      return part.parts.flatMap((one) => loopsOf(one, prefix, letters));
    case 'group':
    case 'around':
      return loopsOf(part.part, prefix, letters);
    case 'repeat': {
      const inner = loopsOf(part.part, prefix, letters);
      if (part.most < 100) return inner;
      const { part: body } = part;
      const choices = body.kind === 'choice' ? body.parts : [body];
      const bodies = choices.flatMap((one) => [sampleOf(one, letters), sampleOf(one, letters, 1)]);
      return [{ prefix, bodies }, ...inner];
    }
    case 'character':
    case 'place':
    case 'again':
      return [];
    default:
      return part satisfies never;
  }
}
