/** Where a channel leads, as far as it is no secret: the host that it calls, or masked mail addresses. */

import type { Alert } from './alert.ts';
import type { ChannelConfig } from './kinds/kind.ts';
import { channelKinds, type ChannelType } from './kinds/registry.ts';

const test: Alert = { type: 'test', timestamp: '', data: {} };

/** Where a channel with this config leads. It is read from what would be sent, so it is where alerts really go. */
export function destinationOf(type: ChannelType, config: ChannelConfig): string {
  const message = channelKinds[type].message(test, config, '');
  return message.kind === 'mail'
    ? message.to.map(maskedAddress).join(', ')
    : maskedHost(new URL(message.url));
}

/** `o…@example.com` for `ops@example.com`. */
export function maskedAddress(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, 1)}…${address.slice(at)}`;
}

/** A host and its port. Names before the last two that look like tokens are masked: some services give each user a host. */
function maskedHost({ host }: URL): string {
  const names = host.split('.');
  return names
    .map((name, index) =>
      index < names.length - 2 && /^(?=.*\d).{10,}$/.test(name) ? `${name.slice(0, 1)}…` : name,
    )
    .join('.');
}
