/** What to do when an alert does not reach a channel. */

import { wordFor } from '../client/find.ts';
import { sinceOrUntil } from '../terminal/cell.ts';
import type { Channel } from '../../api/alerts/contract.ts';
import { optionsOf } from './config-options.ts';

/** A sentence without a full stop, for an answer that took no alert; null where the error says what to do. */
export function adviceOn(channel: Channel, httpStatus: number | null): string | null {
  if (httpStatus === null) return null;
  if (httpStatus === 429 || httpStatus >= 500) {
    return 'the service has trouble, or limits how much it takes';
  }
  const command = `jobd channels update ${wordFor(channel)} ${optionsOf(channel.type)}`;
  return `check where it leads, and if need be give it again: ${command}`;
}

/** That alerts wait as an attempt failed, and for how long; nothing if they do not. */
export function waitOf({ nextAttemptAt }: Channel): { waits?: string } {
  const waits = nextAttemptAt !== null && Date.parse(nextAttemptAt) > Date.now();
  if (!waits) return {};
  return { waits: `alerts wait, next attempt ${sinceOrUntil(nextAttemptAt, Date.now())}` };
}
