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

/** What is wrong with a text that not every database can keep; undefined if all can. */
export function unstorable(text: string): string | undefined {
  return text.includes('\0') ? 'must not contain the character U+0000' : undefined;
}

/** Checks that a text has at most `longest` characters, without U+0000. Throws `invalid_input`, without the text. */
export function checkLength(field: string, text: string, longest: number): void {
  const problem = unstorable(text) ?? tooLong(text, longest);
  if (problem !== undefined) throw invalidInput(`${field} ${problem}`);
}

/**
 * Control characters that JSON does not escape, and characters that change the direction of text or break lines
 * (UAX #9, #14).
 */
const beyondJson = String.raw`\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;
const controls = new RegExp(String.raw`[\u0000-\u001f${beyondJson}]+`, 'g');
const blanks = new RegExp(String.raw`[\u0000-\u0020${beyondJson}]+`, 'g');
const controlsInLines = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f${beyondJson}]+`, 'g');
const controlsInJson = new RegExp(`[${beyondJson}]`, 'g');

/**
 * What terminals obey (ECMA-48): a control sequence, a string such as the title of a window, and other escape sequences. No part
 * of it can hold the beginning of another one, so that it is found in one pass.
 */
const escapes = new RegExp(
  [
    String.raw`(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]`,
    String.raw`(?:\u001b[PX\]^_]|[\u0090\u0098\u009d-\u009f])[^\u0000-\u001f\u007f-\u009f]*(?:\u0007|\u001b\\|\u009c)`,
    String.raw`\u001b[ -/]*[0-~]`,
  ].join('|'),
  'g',
);

/** Replaces each sequence of control characters, with the blanks around it, by a space; escape sequences go as a whole. */
export function blankControls(text: string): string {
  // Each cell of a table passes here, and nearly none has anything to replace.
  if (text.search(controls) === -1) return text;
  return text.replace(escapes, '').replace(blanks, (run) => (/[^ ]/.test(run) ? ' ' : run));
}

/** The same, but line ends, tabs and blanks stay. */
export function blankControlsInLines(text: string): string {
  if (text.search(controlsInLines) === -1) return text;
  return text.replace(escapes, '').replace(controlsInLines, ' ');
}

/** Text from outside on one line, so that it can add no header and no line, nor look like something else. */
export function oneLine(text: string | undefined): string {
  return blankControls((text ?? '').toWellFormed()).trim();
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
