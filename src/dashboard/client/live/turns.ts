/**
 * Which tabs of this browser listen to changes. A browser opens six connections to a server over plain http, and each stream takes
 * one for good: with six visible tabs nothing else would get through. Four listen, the others ask every 10 s.
 *
 * A turn is a lock, which the browser releases however its tab ends. Without https browsers have no locks, except on the machine
 * of the server: there the tabs ask each other.
 */

import { root } from '../../router.ts';
import { openTabs } from '../session/tabs.ts';

/** What tabs say to each other. */
interface Word {
  is: 'asking' | 'here';
  from: number;
  /** Who asked. */
  to?: number;
}

const mostListening = 4;
const answerMs = 300;
const tabs = openTabs<Word>('streams');
const self = Math.random();
const others = new Set<number>();
let turn: 'none' | 'asking' | 'taken' = 'none';

/** Hears the other tabs. `tooMany` is called when this tab took a turn before a busy one could say that it has it. */
export function followTurns(tooMany: () => void): void {
  tabs.hear(({ is, from, to }) => {
    if (is === 'here') {
      if (to === self) others.add(from);
      if (turn === 'taken' && others.size >= mostListening) tooMany();
    } else if (turn === 'taken' || (turn === 'asking' && self < from)) {
      tabs.say({ is: 'here', from: self, to: from });
      // Of tabs that ask at the same moment, the one with the smaller number goes first.
    } else if (turn === 'asking') others.add(from);
  });
}

/** Resolves with whether this tab may listen, which it may until `end`. */
export async function takeTurn(end: AbortSignal): Promise<boolean> {
  const { locks } = navigator as { locks?: LockManager };
  if (locks === undefined) return await askOthers(end);
  for (let place = 1; place <= mostListening; place += 1) {
    if (await takeLock(locks, `jobd stream ${place} ${root}`, end)) return true;
  }
  return false;
}

function takeLock(locks: LockManager, name: string, end: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    void locks.request(name, { ifAvailable: true }, async (lock) => {
      resolve(lock !== null);
      if (lock !== null) await ended(end);
    });
  });
}

async function askOthers(end: AbortSignal): Promise<boolean> {
  turn = 'asking';
  end.addEventListener('abort', () => (turn = 'none'));
  others.clear();
  tabs.say({ is: 'asking', from: self });
  await new Promise((resolve) => setTimeout(resolve, answerMs));
  // Meanwhile this tab may have begun to ask for another turn.
  if (end.aborted) return false;
  turn = others.size < mostListening ? 'taken' : 'none';
  return turn === 'taken';
}

async function ended(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
