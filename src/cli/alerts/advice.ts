/** What to do when an alert does not reach a channel, by the reason. */

import type { Channel } from '../../api/alerts/contract.ts';
import { optionsOf } from './config-options.ts';

/** Each begins as the reasons that it is about; the first that fits counts. */
const rows: readonly (readonly [reason: RegExp, advice: (channel: Channel) => string])[] = [
  [/^http: (?:429|5)/, () => 'the service has trouble, or limits how much it takes'],
  [/^http: |^redirect: /, setAgain],
  [/^blocked_address: /, () => 'the operator of jobd allows more with jobd serve --allow-target'],
  [/^mail: the operator/, setAgain],
  [/^mail: /, () => 'check the addresses, and the mail server that jobd serve --smtp-url names'],
  [/^jobd: /, () => 'the log of jobd may say more'],
];

/** A sentence without a full stop. */
export function adviceOn(channel: Channel, reason: string): string {
  const advice = rows.find(([words]) => words.test(reason))?.[1] ?? checkHost;
  return advice(channel);
}

function setAgain({ id, type }: Channel): string {
  return `give it the right destination with jobd channels update ${id} ${optionsOf(type)}`;
}

function checkHost({ destination }: Channel): string {
  return `check that the machine of jobd can reach ${destination ?? 'the host'}`;
}
