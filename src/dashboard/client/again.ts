/** What time alone changes has no event: answers are asked again when such a moment has passed. */

import { useComputed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { now } from './clock.ts';
import { liveState } from './live.ts';

/** This page's clock may be behind the server's: it asks soon after, and once more. */
const marginsMs = [1000, 4000];

/** Calls `reload` when one of the moments has passed, in epoch milliseconds. `moments` reads signals. */
export function useAgainAfter(moments: () => readonly number[], reload: () => unknown): void {
  const latest = useComputed(() => {
    const asked = moments().flatMap((at) => marginsMs.map((margin) => at + margin));
    return Math.max(0, ...asked.filter((at) => at <= now.value));
  }).value;
  const before = useRef(latest);
  useEffect(() => {
    if (latest > before.current && liveState.value !== 'paused') reload();
    before.current = latest;
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- time alone asks again, not another `reload`
  }, [latest]);
}
