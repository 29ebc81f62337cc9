/** Texts of several lines from outside. */

import { showControls } from '../../domain/characters.ts';
import { figures } from './figures.ts';
import type { Run } from '../../api/runs/contract.ts';

/** The text with its control characters visible, but for the ends of its lines and tabs. */
export function visibleLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, showControls);
}

/** How long a text is: `4,096 bytes`. */
export function sizeWords(text: string): string {
  const bytes = new TextEncoder().encode(text).length;
  return bytes === 1 ? '1 byte' : `${figures(bytes)} bytes`;
}

/** How much of an answer is kept: `4,096 bytes kept, more was sent`. */
export function keptWords({
  responseBody,
  truncated,
  httpStatus,
}: Pick<Run, 'responseBody' | 'truncated' | 'httpStatus'>): string {
  if (httpStatus === null) return 'There was no answer.';
  const body = responseBody ?? '';
  if (truncated) return `${sizeWords(body)} kept, more was sent`;
  return body === '' ? 'The answer had no body.' : sizeWords(body);
}
