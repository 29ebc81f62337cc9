/** Whether what is shown changes by itself, with a switch that stops all changes. */

import { outage } from '../../client/api.ts';
import { liveState, pauseLive } from '../../client/live/live.ts';
import type { LiveState } from '../../client/live/live.ts';

const words: Record<LiveState, string> = {
  connecting: 'connecting',
  live: 'live',
  asking: 'every 10 s',
  paused: 'paused',
};

/** The mark. */
export function LiveMark() {
  const state = liveState.value;
  const isPaused = state === 'paused';
  const word = outage.value !== null && !isPaused ? 'stale' : words[state];
  return (
    <p class={`live ${word}`}>
      <span>{word}</span>
      <button
        type="button"
        class="plain"
        aria-label={isPaused ? 'Show changes again' : 'Pause changes of this page'}
        title={isPaused ? 'Show changes again' : 'Pause changes of this page'}
        onClick={() => pauseLive(!isPaused)}
      >
        {isPaused ? '▶' : '‖'}
      </button>
    </p>
  );
}
