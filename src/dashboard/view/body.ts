/** Texts of several lines from outside. */

import { showControls } from '../../domain/characters.ts';

/** The text with its control characters visible, but for the ends of its lines and tabs. */
export function visibleLines(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .split(/([\n\t])/)
    .map((part) => (part === '\n' || part === '\t' ? part : showControls(part)))
    .join('');
}
