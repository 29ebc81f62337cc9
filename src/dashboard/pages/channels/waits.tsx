/** That the alerts of a channel wait, as it gave no answer. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { now } from '../../client/clock.ts';
import { Until } from '../../parts/basic.tsx';

/** Nothing if they do not. */
export function Waits({ channel: { backedOffUntil } }: { channel: Channel }) {
  if (backedOffUntil === null || Date.parse(backedOffUntil) <= now.value) return null;
  return (
    <span class="reason">
      {' '}
      No answer, so its alerts wait: the next attempt is <Until at={backedOffUntil} />.
    </span>
  );
}
