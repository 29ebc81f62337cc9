/** What web pages and word processors make of plain quotes, dashes and spaces. */

import type { Remark } from './remark.ts';

/** Dashes; `--` often became one of them. */
export const dashes = /[\u2010-\u2015\u2212]/g;

export const asPlainDashes: Remark = {
  text: 'typographic dashes',
  reason: 'they are read as plain ones',
};
export const asPlainQuotes: Remark = {
  text: 'typographic quotes',
  reason: 'they are read as plain ones',
};
export const asPlainSpaces: Remark = {
  text: 'no-break spaces',
  reason: 'they are read as plain ones',
};

/** The quotes that stand for each plain one. */
const quotes = { '"': '“”„‟', "'": '‘’‚‛' } as const;

/** All characters that can end quotes of a kind. */
export const quoteEnds = { '"': `"${quotes['"']}`, "'": /[‘’‚‛']/g } as const;

/** The plain quote that a character stands for where it can open quotes; null anywhere else. */
export function openedBy(character: string, isBegin: boolean): '"' | "'" | null {
  if (quotes['"'].includes(character)) return isBegin || character !== '”' ? '"' : null;
  return quotes["'"].includes(character) && (isBegin || character === '‘') ? "'" : null;
}

/** A text in single quotes: the double ones in it were plain, too. */
export function withPlainQuotes(text: string): string {
  return text.replace(/[“”„‟]/g, '"');
}

/** Whether a character is a space that breaks no line. */
export function isNoBreakSpace(character: string): boolean {
  return character === '\u00a0' || character === '\u202f';
}
