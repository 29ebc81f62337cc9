import type { ServerResponse } from 'node:http';

/** Calls it once the connection of a request is closed: at once if it is already, for a client that left while its key was checked. */
export function onceLeft({ raw }: { raw: ServerResponse }, then: () => void): void {
  if (raw.destroyed) then();
  else raw.once('close', then);
}

/** Aborts once the connection of a request is closed: nobody reads the answer. Work that is done in steps then stops. */
export function whenLeft(answer: { raw: ServerResponse }): AbortSignal {
  const left = new AbortController();
  onceLeft(answer, () => left.abort());
  return left.signal;
}
