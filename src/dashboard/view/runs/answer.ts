/** How much of a target's answer is kept. */

import type { Run } from '../../../api/runs/contract.ts';
import { sizeWords } from '../body.ts';

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
