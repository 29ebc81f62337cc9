/** The config of a channel as it is kept: sealed as a whole, as it holds the secrets of the other side. */

import type { ChannelConfig } from './channel.ts';
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

/** Opens it. Throws `unavailable` if it cannot be opened. */
export function openConfig(channelId: string, sealed: string, vault: Vault): ChannelConfig {
  return JSON.parse(vault.open(sealed, identityOf('channels', channelId))) as ChannelConfig;
}
