/**
 * Which tabs of this browser listen to changes. A browser opens six connections to a server over plain http, and each stream takes
 * one for good: with six visible tabs nothing else would get through. Four listen, the others ask every 10 s.
 */

import { root } from '../router.ts';

/** What tabs say to each other. */
interface Word {
  is: 'asking' | 'here';
  from: number;
  /** Who asked. */
  to?: number;
}

const mostListening = 4;
const answerMs = 300;
const tabs = new BroadcastChannel(`jobd streams ${root}`);
const self = Math.random();
const others = new Set<number>();
let turn: 'none' | 'asking' | 'taken' = 'none';

/** Hears the other tabs. */
export function followTurns(): void {
  tabs.addEventListener('message', ({ data }: MessageEvent<Word>) => {
    if (data.is === 'here') {
      if (data.to === self) others.add(data.from);
    } else if (turn === 'taken' || (turn === 'asking' && self < data.from)) {
      say({ is: 'here', from: self, to: data.from });
      // Of tabs that ask at the same moment, the one with the smaller number goes first.
    } else if (turn === 'asking') others.add(data.from);
  });
}

/** Resolves with whether this tab may listen. It may until it gives its turn back. */
export async function takeTurn(): Promise<boolean> {
  turn = 'asking';
  others.clear();
  say({ is: 'asking', from: self });
  await new Promise((resolve) => setTimeout(resolve, answerMs));
  turn = others.size < mostListening ? 'taken' : 'none';
  return turn === 'taken';
}

/** Lets another tab listen. */
export function giveTurn(): void {
  turn = 'none';
}

function say(word: Word): void {
  tabs.postMessage(word);
}
