import { root } from '../router.ts';

/** A channel to the other tabs of this jobd. */
export interface Tabs<T> {
  say: (word: T) => void;
  hear: (listener: (word: T) => void) => void;
}

/** Opens the channel for `what`. In a browser that has none nobody is heard. */
export function openTabs<T>(what: string): Tabs<T> {
  if (typeof BroadcastChannel === 'undefined') return { say: () => {}, hear: () => {} };
  const channel = new BroadcastChannel(`jobd ${what} ${root}`);
  return {
    say: (word) => channel.postMessage(word),
    hear: (listener) =>
      channel.addEventListener('message', ({ data }: MessageEvent<T>) => listener(data)),
  };
}
