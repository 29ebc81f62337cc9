/** That the alerts of a channel wait, as an attempt failed. */

import type { Channel } from '../../../api/alerts/contract.ts';
import { now } from '../../client/clock.ts';
import { Until } from '../../parts/basic.tsx';

/** Nothing if they do not. */
export function Waits({ channel, as }: { channel: Channel; as: 'line' | 'sentence' }) {
  const { nextAttemptAt } = channel;
  if (nextAttemptAt === null || Date.parse(nextAttemptAt) <= now.value) return null;
  return (
    <p class={`${as} reason`}>
      Its alerts wait: the next attempt is <Until at={nextAttemptAt} />.
    </p>
  );
}
