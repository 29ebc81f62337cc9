/** A channel may be named by its id or, where no other has it, by its name. */

import type { Channel } from '../api/channel-contract.ts';
import { invalidInput, JobdError } from '../domain/errors.ts';
import { isId } from '../domain/id.ts';
import type { ChannelClient } from './channel-client.ts';

/** Finds the channel. Throws `not_found`, or `invalid_input` if several have this name. */
export async function findChannel(client: ChannelClient, idOrName: string): Promise<Channel> {
  if (isId(idOrName)) return await client.get(idOrName);
  const all = await Array.fromAsync(client.list());
  const found = all.filter(({ name }) => name === idOrName);
  const [channel, ...others] = found;
  if (channel === undefined) {
    throw new JobdError('not_found', `there is no channel named ${idOrName}`);
  }
  if (others.length === 0) return channel;
  const ids = found.map(({ id }) => id).join(', ');
  throw invalidInput(`${found.length} channels are named ${idOrName}, use an id: ${ids}`);
}
