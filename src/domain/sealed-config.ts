/** The config of a channel as it is kept: sealed as a whole, as it holds the secrets of the other side. */

import type { ChannelConfig } from './channel.ts';
import { JobdError } from './errors.ts';
import { identityOf } from './vault.ts';
import type { Vault } from './vault.ts';

/** Seals the config of a channel with the master key of this id. */
export function sealConfig(
  channelId: string,
  config: ChannelConfig,
  vault: Vault,
  keyId: string,
): string {
  return vault.seal(keyId, JSON.stringify(config), identityOf('channels', channelId));
}

/** Opens it. Throws `unavailable`, with the remedy, if it cannot be opened. */
export function openConfig(channelId: string, sealed: string, vault: Vault): ChannelConfig {
  return JSON.parse(opened(channelId, sealed, vault)) as ChannelConfig;
}

function opened(channelId: string, sealed: string, vault: Vault): string {
  try {
    return vault.open(sealed, identityOf('channels', channelId));
  } catch (error) {
    if (!(error instanceof JobdError)) throw error;
    const message = `${error.message}: set its config anew, all of it`;
    throw new JobdError('unavailable', message, { cause: error });
  }
}
