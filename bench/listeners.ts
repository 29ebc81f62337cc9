/** Open event streams, which are read: people with the dashboard open during a storm. */

import { request } from 'node:http';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createKey } from '../src/app/accounts/keys.ts';
import { mostStreamsOfActor } from '../src/app/events.ts';
import { openTestLocal } from '../test/support/running/local.ts';
import type { HttpServer } from './processes.ts';

/** Disposing of it closes the streams. */
export interface Listeners extends Disposable {
  /** Bytes that came on all streams. */
  bytes(): number;
}

/** Opens streams of the default workspace, with as many keys as they need. */
export async function openListeners(
  { url }: HttpServer,
  dataDir: string,
  count: number,
): Promise<Listeners> {
  await using local = await openTestLocal(dataDir);
  const requests: ReturnType<typeof request>[] = [];
  let bytes = 0;
  let key = '';
  while (requests.length < count) {
    if (requests.length % mostStreamsOfActor === 0) {
      const input = { workspace: 'default', permission: 'read', name: 'bench' } as const;
      key = (await createKey(local, input)).secret;
    }
    const headers = { authorization: `Bearer ${key}` };
    const asked = request(`${url}/api/v1/events`, { headers, agent: false }).end();
    requests.push(asked);
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    if (response.statusCode !== 200) throw new Error(`a stream answered ${response.statusCode}`);
    response.on('error', () => {});
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
  }
  return {
    bytes: () => bytes,
    [Symbol.dispose]: () => {
      for (const asked of requests) asked.destroy();
    },
  };
}
