/** What to do when an alert does not reach a channel, by the reason. */

import type { Channel } from '../../api/alerts/contract.ts';
import { isCloudMetadata, refusedOnPurpose } from '../../domain/targets/cloud-metadata.ts';
import { optionsOf } from './config-options.ts';

/** Each begins as the reasons that it is about; the first that fits counts. */
const rows: readonly (readonly [
  reason: RegExp,
  advice: (channel: Channel, reason: string) => string,
])[] = [
  [/^http: (?:429|5)/, () => 'the service has trouble, or limits how much it takes'],
  [/^http: |^redirect: /, setAgain],
  [/^blocked_address: /, (_, reason) => adviceOnAddress(reason)],
  [/^mail: the operator/, setAgain],
  [/^mail: /, () => 'check the addresses, and the mail server that jobd serve --smtp-url names'],
  [/^jobd: /, () => 'the log of jobd may say more'],
];

/** A sentence without a full stop. */
export function adviceOn(channel: Channel, reason: string): string {
  const advice = rows.find(([words]) => words.test(reason))?.[1] ?? checkHost;
  return advice(channel, reason);
}

/** How a command names a channel: its name, unless a shell would read it in another way. */
export function wordFor({ id, name }: Channel): string {
  return /^[A-Za-z0-9][\w.-]*$/.test(name) ? name : id;
}

function adviceOnAddress(reason: string): string {
  return isCloudMetadata(reason)
    ? refusedOnPurpose
    : 'the operator of jobd allows more with jobd serve --allow-target';
}

function setAgain(channel: Channel): string {
  const command = `jobd channels update ${wordFor(channel)} ${optionsOf(channel.type)}`;
  return `check where it leads, and if need be give it again: ${command}`;
}

function checkHost({ destination }: Channel): string {
  return `check that the machine of jobd can reach ${destination ?? 'the host'}`;
}
