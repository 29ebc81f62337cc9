/** Clients of a daemon: they use several keys in turn, since each may ask only 120 times a minute. */

import { readAnswer, type Answer } from '../../support/running/daemon.ts';
import { bearer, send } from '../../support/running/send.ts';

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
      const key = keys[asked % keys.length] ?? '';
      const response = await send(`${url()}/api/v1${path}`, method, body, bearer(key));
      return await readAnswer(method, response);
    },
    async askSite(path) {
      const response = await fetch(`${url()}${path}`);
      return { status: response.status, body: JSON.parse(await response.text()) as unknown };
    },
  };
}
