/** Characters: how long a text is, and which ones control a terminal. */

import { invalidInput } from './errors.ts';

/** Counts characters as the limits of the API do: Unicode code points. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** What a text that is too long should be, without the text; undefined if it has at most `longest` characters. */
export function tooLong(text: string, longest: number): string | undefined {
  const length = characterCount(text);
  return length > longest ? `must be at most ${longest} characters, got ${length}` : undefined;
}

/** A text as every database keeps it: without U+0000 and halves of surrogate pairs, which become U+FFFD. */
export function madeStorable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** Whether a text of JSON has half a surrogate pair among its escapes. In time of its length: anybody may send it. */
export function hasHalfPair(text: string): boolean {
  let lowAt = -1;
  for (let at = text.indexOf('\\'); at !== -1 || lowAt !== -1; at = text.indexOf('\\', at)) {
    const unit = text[at + 1] === 'u' ? Number.parseInt(text.slice(at + 2, at + 6), 16) : 0;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow !== (at === lowAt) || (lowAt !== -1 && at !== lowAt)) return true;
    at += unit === 0 ? 2 : 6;
    lowAt = unit >= 0xd800 && unit <= 0xdbff ? at : -1;
  }
  return false;
}

/** What is wrong with a text that not every database can keep; undefined if all can. */
export function unstorable(text: string): string | undefined {
  return text.includes('\0') ? 'must not contain the character U+0000' : undefined;
}

/** Checks that a text has at most `longest` characters, without U+0000. Throws `invalid_input`, without the text. */
export function checkLength(field: string, text: string, longest: number): void {
  const problem = unstorable(text) ?? tooLong(text, longest);
  if (problem !== undefined) throw invalidInput(`${field} ${problem}`);
}

/** Control characters that JSON does not escape, those that change the direction of text or break lines (UAX #9, #14), and some that nobody sees. */
export const beyondJson = String.raw`\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff`;
/** A sequence of control characters. */
export const controls = new RegExp(String.raw`[\u0000-\u001f${beyondJson}]+`, 'g');
const controlsInJson = new RegExp(`[${beyondJson}]`, 'g');

/** Whether a text reads as what it is: no blanks around it, and nothing that is not seen. */
export function isPlain(text: string): boolean {
  return text === text.trim() && text.search(controls) === -1;
}

/** Escapes the control characters that JSON leaves as they are. */
export function escapeControls(json: string): string {
  return json.replace(controlsInJson, escapeUnit);
}

/** Makes the control characters of a text visible, each as its escape in JSON. */
export function showControls(text: string): string {
  return text.replace(controls, (found) => found.replaceAll(/[^]/g, escapeUnit));
}

/** Escapes one UTF-16 code unit as JSON and YAML do: `\u001b`. */
export function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
