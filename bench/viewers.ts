/** People with the list of jobs open during a storm: counts and lists are asked again and again. */

import { Agent, request } from 'node:http';
import { createKey } from '../src/app/accounts/keys.ts';
import { openTestLocal } from '../test/support/running/local.ts';
import type { HttpServer } from './processes.ts';

/** Disposing of it stops the asking. */
export interface Viewers extends Disposable {
  /** How many requests were answered with 200. */
  answered(): number;
}

/** A key may ask 120 times a minute. */
const perSecondOfKey = 1.9;
const paths = ['/api/v1/overview', '/api/v1/overview/jobs?limit=50'];

/** Asks for counts and for the first page of the list in turn, so often in a second, whether or not answers come. */
export async function askOverview(
  { url }: HttpServer,
  dataDir: string,
  perSecond: number,
): Promise<Viewers> {
  const keys: string[] = [];
  await using local = await openTestLocal(dataDir);
  while (keys.length * perSecondOfKey < perSecond) {
    const input = { workspace: 'default', permission: 'read', name: 'bench' } as const;
    keys.push((await createKey(local, input)).secret);
  }
  const agent = new Agent({ keepAlive: true });
  let asked = 0;
  let answered = 0;
  const ask = (): void => {
    const headers = { authorization: `Bearer ${keys[asked % keys.length]}` };
    const path = paths[asked % paths.length];
    asked += 1;
    const sent = request(`${url}${path}`, { headers, agent }, (response) => {
      if (response.statusCode === 200) answered += 1;
      response.resume();
    });
    sent.on('error', () => {}).end();
  };
  const timer = perSecond === 0 ? undefined : setInterval(ask, 1_000 / perSecond);
  return {
    answered: () => answered,
    [Symbol.dispose]: () => {
      clearInterval(timer);
      agent.destroy();
    },
  };
}
