/** What a target answered, as text to read: nothing in it can hide, and nothing in it is changed. */

import type { Run } from '../../api/runs/contract.ts';
import { showControls } from '../../domain/characters.ts';

/** Control characters become visible; line ends and tabulators stay. */
export function showInLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(/[^\n\t]+/g, showControls);
}

/** How much of an answer is kept: `4,096 bytes kept, more was sent`. */
export function keptWords({
  responseBody,
  truncated,
  httpStatus,
}: Pick<Run, 'responseBody' | 'truncated' | 'httpStatus'>): string {
  if (httpStatus === null) return 'There was no answer.';
  const bytes = new TextEncoder().encode(responseBody ?? '').length;
  const size = bytes === 1 ? '1 byte' : `${bytes.toLocaleString('en')} bytes`;
  if (truncated) return `${size} kept, more was sent`;
  return bytes === 0 ? 'The answer had no body.' : size;
}
