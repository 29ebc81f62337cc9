import type { ServerResponse } from 'node:http';

/** Aborts once the connection of a request is closed: nobody reads the answer. Work that is done in steps then stops. */
export function whenLeft({ raw }: { raw: ServerResponse }): AbortSignal {
  const left = new AbortController();
  if (raw.destroyed) left.abort();
  else raw.once('close', () => left.abort());
  return left.signal;
}
