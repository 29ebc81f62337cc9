/** The config of a channel, sealed as a whole: it holds the secrets of the other side. */

import type { Channel } from '../alerts/channel.ts';
import type { ChannelConfig } from '../alerts/kinds/kind.ts';
import { JobdError } from '../errors.ts';
import { placeOf, type Vault } from './vault.ts';

/** The channel that a config belongs to. */
type Owner = Pick<Channel, 'id' | 'workspaceId'>;

/** Seals the config of a channel with the master key of this id. */
export function sealConfig(
  channel: Owner,
  config: ChannelConfig,
  vault: Vault,
  keyId: string,
): string {
  return vault.seal(keyId, JSON.stringify(config), placeOf('channels', channel));
}

/** Opens it. Throws `unavailable`, with the remedy, if it cannot be opened. */
export function openConfig(channel: Owner, sealed: string, vault: Vault): ChannelConfig {
  try {
    return JSON.parse(vault.open(sealed, placeOf('channels', channel))) as ChannelConfig;
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const message = `${error.message}: set its whole config again`;
    throw new JobdError('unavailable', message, { cause: error });
  }
}
