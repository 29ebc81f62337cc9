/** Header fields as they came: node keeps the first of several and says nothing. */

import type { IncomingMessage } from 'node:http';

/** How many header fields of this name (lower case) a request has. */
export function headerCount({ rawHeaders }: IncomingMessage, name: string): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}
