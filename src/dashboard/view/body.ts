/** Texts of several lines from outside. */

import { showControls } from '../../domain/characters.ts';
import { figures } from './figures.ts';

/** The text with its control characters visible, but for the ends of its lines and tabs. */
export function visibleLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, showControls);
}

/** How long a text is: `4,096 bytes`. */
export function sizeWords(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return bytes === 1 ? '1 byte' : `${figures(bytes)} bytes`;
}
