/** The calls of the API that commands make, typed by its contract. */

import type { AuditList } from '../../api/accounts/contract.ts';
import type * as alerts from '../../api/alerts/contract.ts';
import type { Job, JobInput, JobResponse, JobUpdate } from '../../api/jobs/contract.ts';
import type { QueuedRun, RunList, RunResponse } from '../../api/runs/contract.ts';
import type * as monitors from '../../api/monitors/contract.ts';
import type { ClientConfig } from '../../profiles.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Receipt } from '../../domain/receipts/receipt.ts';
import { createAsker, pages } from './client.ts';
import type { Ask } from './client.ts';

/** What every resource of a workspace can do. */
export interface Collection<Item, Update> {
  /** Lists all of them, page by page. */
  list(): AsyncGenerator<Item>;
  get(id: string): Promise<Item>;
  /** Finds one by id, or by its name. Throws `not_found`, or `invalid_input` if several have this name. */
  find(idOrName: string): Promise<Item>;
  update(id: string, update: Update): Promise<Item>;
  delete(id: string): Promise<void>;
}

export type Api = ReturnType<typeof createApi>;

/** Makes the calls to a server. They throw `JobdError` with the server's own message. */
export function createApi(config: ClientConfig, options: { timeoutMs?: number } = {}) {
  const ask = createAsker(config, options);
  return {
    jobs: {
      ...collection<Job, JobUpdate>(ask, 'job'),
      create: async (input: JobInput) => (await ask<JobResponse>('POST', '/jobs', input)).job,
      run: (id: string) => ask<QueuedRun>('POST', path`/jobs/${id}/run`),
    },
    runs: {
      list: (jobId: string, limit: number, cursor?: string) =>
        ask<RunList>(
          'GET',
          path`/jobs/${jobId}/runs?limit=${limit}` +
            (cursor === undefined ? '' : path`&cursor=${cursor}`),
        ),
      get: async (jobId: string, runId: string) =>
        (await ask<RunResponse>('GET', path`/jobs/${jobId}/runs/${runId}`)).run,
      receipt: (jobId: string, runId: string) =>
        ask<Receipt>('GET', path`/jobs/${jobId}/runs/${runId}/receipt`),
    },
    audit: (filter: Record<string, string | undefined>, limit: number) => {
      const given = Object.entries(filter).flatMap(([name, value]) =>
        value === undefined ? [] : [path`&${name}=${value}`],
      );
      return ask<AuditList>('GET', `/audit?limit=${limit}${given.join('')}`);
    },
    monitors: {
      ...collection<monitors.Monitor, monitors.MonitorUpdate>(ask, 'monitor'),
      create: async (input: monitors.MonitorInput) =>
        (await ask<monitors.MonitorResponse>('POST', '/monitors', input)).monitor,
      pings: (id: string, limit: number) =>
        ask<monitors.PingList>('GET', path`/monitors/${id}/pings?limit=${limit}`),
    },
    channels: {
      ...collection<alerts.Channel, alerts.ChannelUpdate>(ask, 'channel'),
      create: (input: alerts.ChannelInput) => ask<alerts.ChannelMade>('POST', '/channels', input),
      test: async (id: string) =>
        (await ask<alerts.DeliveryResponse>('POST', path`/channels/${id}/test`)).delivery,
      deliveries: (id: string, limit: number) =>
        ask<alerts.DeliveryList>('GET', path`/channels/${id}/deliveries?limit=${limit}`),
      delivery: (id: string, deliveryId: string) =>
        ask<alerts.TriedDelivery>('GET', path`/channels/${id}/deliveries/${deliveryId}`),
    },
  };
}

/** The calls for `/jobs`, `/monitors` and `/channels`, which answer in the same form. */
function collection<Item extends { id: string; name: string }, Update extends object>(
  ask: Ask,
  noun: 'job' | 'monitor' | 'channel',
): Collection<Item, Update> {
  const one = (id: string): string => `/${noun}s/${encodeURIComponent(id)}`;
  const itemOf = (answer: Record<string, Item>): Item => answer[noun] as Item;
  const list = (): AsyncGenerator<Item> => pages(ask, `/${noun}s`, `${noun}s`);
  const get = async (id: string): Promise<Item> => itemOf(await ask('GET', one(id)));
  return {
    list,
    get,
    async find(idOrName) {
      // The server accepts ids in upper case too.
      if (isId(idOrName.toLowerCase())) return await get(idOrName);
      return await findNamed(noun, list(), idOrName);
    },
    update: async (id, update) => itemOf(await ask('PATCH', one(id), update)),
    delete: async (id) => void (await ask('DELETE', one(id))),
  };
}

async function findNamed<Item extends { id: string; name: string }>(
  noun: string,
  all: AsyncIterable<Item>,
  name: string,
): Promise<Item> {
  const found: Item[] = [];
  for await (const item of all) {
    if (item.name === name) found.push(item);
  }
  const [first, ...others] = found;
  if (first === undefined) throw new JobdError('not_found', `there is no ${noun} named ${name}`);
  if (others.length === 0) return first;
  const ids = found.map(({ id }) => id).join(', ');
  throw invalidInput(`${found.length} ${noun}s are named ${name}, use an id: ${ids}`);
}

/** Builds a path or a query, with its values encoded. */
function path(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return String.raw({ raw: parts }, ...values.map((value) => encodeURIComponent(value)));
}
