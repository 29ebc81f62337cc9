/** Counts the steps of a regular expression, as an engine takes them that tries one way after the other. */

import type { Parsed, Part } from './parse.ts';

/** More are not counted. */
export const mostSteps = 100_000;

/** The steps that a pattern takes for a text, and whether it was found. With `g` and `y` all places are looked for. */
export function stepsOf(
  { part }: Parsed,
  flags: string,
  text: string,
): { steps: number; isFound: boolean } {
  let steps = 0;
  const isOver = (): boolean => steps > mostSteps;
  const groups = new Map<number | string, readonly [number, number]>();
  const isWord = (at: number): boolean => /\w/.test(text[at] ?? '');
  const isLineEnd = (at: number): boolean => /[\n\r\u2028\u2029]/.test(text[at] ?? '');
  const isMultiline = flags.includes('m');

  const isAt = (mark: string, at: number): boolean => {
    if (mark === '^') return at === 0 || (isMultiline && isLineEnd(at - 1));
    if (mark === '$') return at === text.length || (isMultiline && isLineEnd(at));
    return (isWord(at - 1) === isWord(at)) === (mark === 'B');
  };

  type Then = (at: number) => boolean;
  const tryPart = (it: Part, at: number, isBack: boolean, then: Then): boolean => {
    steps += 1;
    if (isOver()) return true;
    switch (it.kind) {
      case 'character': {
        const unit = text[isBack ? at - 1 : at];
        return unit !== undefined && it.has(unit) && then(isBack ? at - 1 : at + 1);
      }
      case 'sequence':
        return trySequence(isBack ? it.parts.toReversed() : it.parts, 0, at, isBack, then);
      case 'choice':
        return it.parts.some((one) => tryPart(one, at, isBack, then));
      case 'repeat':
        return tryRepeat(it, 0, at, isBack, then);
      case 'group':
        return tryPart(it.part, at, isBack, (end) => {
          const before = groups.get(it.number);
          const place = [Math.min(at, end), Math.max(at, end)] as const;
          groups.set(it.number, place);
          if (it.name !== null) groups.set(it.name, place);
          if (then(end)) return true;
          if (before === undefined) groups.delete(it.number);
          else groups.set(it.number, before);
          return false;
        });
      case 'around':
        return tryPart(it.part, at, it.isBehind, () => true) !== it.isNegated && then(at);
      case 'place':
        return isAt(it.mark, at) && then(at);
      case 'again': {
        const [from, to] = groups.get(it.group) ?? [0, 0];
        const again = text.slice(from, to);
        steps += again.length;
        return text.startsWith(again, at) && then(at + again.length);
      }
      default:
        return it satisfies never;
    }
  };
  const trySequence = (
    parts: readonly Part[],
    index: number,
    at: number,
    isBack: boolean,
    then: Then,
  ): boolean => {
    const next = parts[index];
    if (next === undefined) return then(at);
    return tryPart(next, at, isBack, (end) => trySequence(parts, index + 1, end, isBack, then));
  };
  const tryRepeat = (
    it: Extract<Part, { kind: 'repeat' }>,
    count: number,
    at: number,
    isBack: boolean,
    then: Then,
  ): boolean => {
    steps += 1;
    if (isOver()) return true;
    const more = (): boolean =>
      count < it.most &&
      tryPart(it.part, at, isBack, (end) =>
        // An iteration that takes nothing is none.
        end === at && count >= it.least ? false : tryRepeat(it, count + 1, end, isBack, then),
      );
    if (count < it.least) return more();
    return it.isLazy ? then(at) || more() : more() || then(at);
  };

  let isFound = false;
  for (let start = 0; start <= text.length; start += 1) {
    if (isOver()) break;
    groups.clear();
    let end = start;
    const fits = tryPart(part, start, false, (at) => {
      end = at;
      return true;
    });
    isFound ||= fits;
    if (fits && !/[gy]/.test(flags)) break;
    if (!fits && flags.includes('y')) break;
    if (fits && end > start) start = end - 1;
  }
  return { steps, isFound };
}
