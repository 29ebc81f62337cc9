/** Clients of a daemon: they use several keys in turn, since each may ask only 120 times a minute. */

import { readAnswer, type Answer } from '../../support/running/daemon.ts';

export interface Asking {
  /** Calls the API of the daemon started last. */
  readonly ask: (method: string, path: string, body?: unknown) => Promise<Answer>;
  /** Requests a path of the site itself, without a key. */
  readonly askSite: (path: string) => Promise<{ status: number; body: unknown }>;
}

/** Clients with these keys, of the daemon that has this URL now. */
export function askingWith(keys: readonly string[], url: () => string): Asking {
  let asked = 0;
  return {
    async ask(method, path, body) {
      asked += 1;
      const response = await fetch(`${url()}/api/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${keys[asked % keys.length]}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return await readAnswer(method, response);
    },
    async askSite(path) {
      const response = await fetch(`${url()}${path}`);
      return { status: response.status, body: JSON.parse(await response.text()) as unknown };
    },
  };
}
