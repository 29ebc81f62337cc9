/** Foreign text without what only a terminal reads: on one line, or in its own lines. */

import { beyondJson, controls } from './characters.ts';

const blanks = new RegExp(String.raw`[\u0000-\u0020${beyondJson}]+`, 'g');
const controlsInLines = new RegExp(String.raw`[\u0000-\u0008\u000b-\u001f${beyondJson}]+`, 'g');

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
