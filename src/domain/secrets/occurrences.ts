/**
 * Finds which parts of a text are covered by any of many secrets, in time that grows with the text and the secrets, whatever
 * they are: a target chooses its answer, and whoever made the job its secrets.
 *
 * Most texts contain none. So the first characters of the secrets are looked for first, in one pass, and the rest of the work
 * is done only for the parts of the text where a secret may be: they become a suffix automaton, through which each secret is
 * read until it differs.
 */

import { SuffixAutomaton } from './suffix-automaton.ts';

/** Part of a text, from `start` up to `end`. */
export interface Span {
  start: number;
  end: number;
}

/** Shorter values would be found by chance, in words and numbers. This many first characters are looked for. */
export const shortestSecret = 8;

/** The bits of a hash that are not used: 13 are. */
const markShift = 19;

/** So few heads are looked for one by one, as the engine does that fastest. */
const fewHeads = 8;

/** What is known of some secrets, to find them in several texts. */
export class Occurrences {
  readonly #secrets: readonly string[];
  readonly #heads = new Set<string>();
  readonly #marks = new Uint8Array(2 ** (32 - markShift));
  readonly #longest: number;

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.filter((secret) => secret.length >= shortestSecret);
    let longest = 0;
    for (const secret of this.#secrets) {
      longest = Math.max(longest, secret.length);
      const head = secret.slice(0, shortestSecret);
      this.#heads.add(head);
      let hash = 0;
      for (let at = 0; at < shortestSecret; at += 1) hash = rolled(hash, head.charCodeAt(at));
      this.#marks[markOf(hash)] = 1;
    }
    this.#longest = longest;
  }

  /**
   * The parts of the text that secrets cover, from left to right, none of which touch. With `isCut` the text continued, so
   * an end of it that is the beginning of a secret is covered too.
   */
  in(text: string, isCut: boolean): Span[] {
    const windows = this.#windows(text, isCut);
    return windows.length === 0 ? [] : this.#covered(text, windows, isCut);
  }

  /** The parts of the text in which any secret is that is there: each begins with the head of one. */
  #windows(text: string, isCut: boolean): Span[] {
    const windows = this.#mayBeIn(text) ? this.#windowsOfHeads(text) : [];
    // The beginning of a secret that is shorter than its head.
    if (isCut && this.#secrets.length > 0 && text !== '') {
      widen(windows, Math.max(0, text.length + 1 - shortestSecret), text.length);
    }
    return windows;
  }

  #mayBeIn(text: string): boolean {
    return this.#heads.size > fewHeads || this.#heads.values().some((head) => text.includes(head));
  }

  #windowsOfHeads(text: string): Span[] {
    const windows: Span[] = [];
    const marks = this.#marks;
    let hash = 0;
    for (let at = 0; at < text.length; at += 1) {
      hash = rolled(hash, text.charCodeAt(at));
      if (marks[markOf(hash)] !== 1) continue;
      const start = at + 1 - shortestSecret;
      if (start < 0 || !this.#heads.has(text.slice(start, at + 1))) continue;
      widen(windows, start, Math.min(start + this.#longest, text.length));
    }
    return windows;
  }

  #covered(text: string, windows: readonly Span[], isCut: boolean): Span[] {
    const size = windows.reduce((sum, { start, end }) => sum + 1 + end - start, 0);
    const automaton = new SuffixAutomaton(size);
    for (const { start, end } of windows) {
      automaton.addGap();
      for (let at = start; at < end; at += 1) automaton.add(text.charCodeAt(at));
    }
    if (isCut) automaton.end();
    let tail = 0;
    for (const secret of this.#secrets) tail = Math.max(tail, automaton.read(secret));

    const spans: Span[] = [];
    const lengths = automaton.wordLengths();
    let index = 0;
    for (const { start, end } of windows) {
      index += 1;
      for (let at = start; at < end; at += 1) {
        const length = lengths[index] ?? 0;
        if (length > 0) cover(spans, at + 1 - length, at + 1);
        index += 1;
      }
    }
    if (tail > 0) cover(spans, text.length - tail, text.length);
    return spans;
  }
}

/** The hash of the last 8 characters, after the next one: each leaves after 8 steps of 4 bits. */
function rolled(hash: number, code: number): number {
  return (hash << 4) ^ code;
}

function markOf(hash: number): number {
  return Math.imul(hash, 0x9e37_79b1) >>> markShift;
}

/** Adds a span that starts where the last one does, or later. */
function widen(spans: Span[], start: number, end: number): void {
  const last = spans.at(-1);
  if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
  else spans.push({ start, end });
}

/** Adds a span that ends where the last one does, or later, and takes in those that it touches. */
function cover(spans: Span[], start: number, end: number): void {
  let first = start;
  for (let last = spans.at(-1); last !== undefined && last.end >= first; last = spans.at(-1)) {
    first = Math.min(first, last.start);
    spans.pop();
  }
  spans.push({ start: first, end });
}
