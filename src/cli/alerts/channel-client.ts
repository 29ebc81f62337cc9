/** The part of the API that is about channels. */

import type * as contract from '../../api/alerts/contract.ts';
import type { ClientConfig } from '../../profiles.ts';
import { createAsker, pages } from '../client/client.ts';

export interface ChannelClient {
  create(input: contract.ChannelInput): Promise<contract.ChannelMade>;
  /** All channels, page after page. */
  list(): AsyncGenerator<contract.Channel>;
  get(id: string): Promise<contract.Channel>;
  update(id: string, update: contract.ChannelUpdate): Promise<contract.Channel>;
  delete(id: string): Promise<void>;
  test(id: string): Promise<contract.Delivery>;
  deliveries(id: string, limit: number): Promise<contract.DeliveryList>;
  delivery(id: string, deliveryId: string): Promise<contract.TriedDelivery>;
}

/** Makes a client. Its calls throw `JobdError` with the server's own sentence. */
export function createChannelClient(config: ClientConfig): ChannelClient {
  const ask = createAsker(config);
  return {
    create: (input) => ask('POST', '/channels', input),
    list: () =>
      pages(async (query) => {
        const found = await ask<contract.ChannelList>('GET', `/channels?${query}`);
        return { items: found.channels, nextCursor: found.nextCursor };
      }),
    async get(id) {
      return (await ask<contract.ChannelResponse>('GET', pathOf(id))).channel;
    },
    async update(id, update) {
      return (await ask<contract.ChannelResponse>('PATCH', pathOf(id), update)).channel;
    },
    async delete(id) {
      await ask('DELETE', pathOf(id));
    },
    async test(id) {
      return (await ask<contract.DeliveryResponse>('POST', `${pathOf(id)}/test`)).delivery;
    },
    deliveries: (id, limit) => ask('GET', `${pathOf(id)}/deliveries?limit=${limit}`),
    delivery: (id, deliveryId) =>
      ask('GET', `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}`),
  };
}

function pathOf(id: string): string {
  return `/channels/${encodeURIComponent(id)}`;
}
