/**
 * Which tabs of this browser listen to changes. A browser opens six connections to a server over plain http, and each stream takes
 * one for good: with six visible tabs nothing else would get through. Four listen, the others ask every 10 s.
 *
 * A turn is a lock, which the browser releases however its tab ends. Without https browsers have no locks, except on the machine
 * of the server: there the tabs ask each other. Who asked first goes first: of tabs that listen, each hears, sooner or later, of all
 * that asked before it, so those that are too many always know that they are.
 */

import { root } from '../router.ts';
import { openTabs } from './tabs.ts';

/** What tabs say to each other: that they ask for a turn, or to one that asks (`to`) that they asked before it. */
interface Word {
  from: bigint;
  to?: bigint;
}

const mostListening = 4;
const answerMs = 300;
const tabs = openTabs<Word>('streams');
/** Those that asked before this tab. */
const before = new Set<bigint>();
/** Since when this tab has a turn or asks for one: the time, then a random id that tells tabs of the same millisecond apart. 0: it does neither. */
let since = 0n;
let isListening = false;

/** Hears the other tabs. `tooMany` is called when this tab took a turn before a busy one could say that it has it. */
export function followTurns(tooMany: () => void): void {
  tabs.hear(({ from, to }) => {
    if (since === 0n || (to ?? since) !== since) return;
    if (from > since) return tabs.say({ from: since, to: from });
    before.add(from);
    if (isListening && before.size >= mostListening) tooMany();
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
  before.clear();
  since = (BigInt(Date.now()) << 64n) | crypto.getRandomValues(new BigUint64Array(1))[0]!;
  end.addEventListener('abort', () => {
    since = 0n;
    isListening = false;
  });
  tabs.say({ from: since });
  await new Promise((resolve) => setTimeout(resolve, answerMs));
  // Meanwhile this tab may have begun to ask for another turn.
  if (end.aborted) return false;
  isListening = before.size < mostListening;
  if (!isListening) since = 0n;
  return isListening;
}

async function ended(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
}
