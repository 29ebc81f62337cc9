/** The stream of changes: one for each visible tab. It says what to ask again, never what it is. */

import { signal } from '@preact/signals';
import type { Event } from '../../api/events/contract.ts';
import { readEvents } from '../view/events.ts';
import { root } from '../router.ts';
import { noteHeard, outage } from './api.ts';
import { restAsking } from './pace.ts';
import { openTabs } from './tabs.ts';
import { hasEnded, hasMoved, loadSession, session, signedIn, whenChanged } from './session.ts';
import { followTurns, takeTurn } from './turns.ts';

/** What changed, as the API says it. */
export type Change = Extract<Event, { event: 'changed' }>['data'];

/** How the page learns of changes. `asking`: no stream can be had, so it asks every 10 s. */
export type LiveState = 'connecting' | 'live' | 'asking' | 'paused';

/** How it learns of them now. */
export const liveState = signal<LiveState>('connecting');
/** When it tries again, in milliseconds of this browser; null while it is connected. */
export const nextTryAt = signal<number | null>(null);
/** The version of a newer jobd that answers now; null if it is the one of this page. */
export const newVersion = signal<string | null>(null);

declare const JOBD_PAGE_VERSION: string;

const silenceMs = 50_000;
/** Without a stream, and after an answer that failed. */
const askAgainMs = 10_000;
const waitsMs = [1_000, 2_000, 4_000, 8_000, 10_000];
const listeners = new Set<(change: Change | null) => void>();
/** Tabs without a stream hear of changes from those that have one. */
const tabs = openTabs<Change | null>('changes');

let isPaused = false;
let stop: AbortController | null = null;
let failures = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Calls `listener` with each change; with null when everything may have changed. Returns a function that ends it. */
export function onChange(listener: (change: Change | null) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to listen while the tab is visible. */
export function startLive(): void {
  followTurns(yieldTurn);
  tabs.hear((change) => {
    if (stop !== null && liveState.value === 'asking') tell(change);
  });
  document.addEventListener('visibilitychange', restart);
  addEventListener('online', restart);
  for (const state of [session, hasEnded, hasMoved]) state.subscribe(restart);
  outage.subscribe(keepTrying);
  // Without a stream nobody else tells what this tab did.
  whenChanged(() => {
    if (liveState.value !== 'live') tell(null);
  });
}

/** Stops all changes of what is shown, or continues. */
export function pauseLive(paused: boolean): void {
  isPaused = paused;
  restart();
}

/** Tries at once instead of waiting. */
export function tryNow(): void {
  restart();
  tell(null);
}

function restart(): void {
  clearTimeout(timer);
  nextTryAt.value = null;
  stop?.abort();
  stop = null;
  const isSignedIn = signedIn.value !== null && !hasEnded.value;
  const isWanted = isSignedIn && !hasMoved.value && document.visibilityState === 'visible';
  if (isPaused) liveState.value = 'paused';
  else if (liveState.value === 'paused') liveState.value = 'connecting';
  const isResting = isPaused || !isWanted;
  restAsking(isResting);
  if (isResting) return;
  stop = new AbortController();
  void listen(stop);
}

async function listen(mine: AbortController): Promise<void> {
  const mayListen = await takeTurn(mine.signal);
  if (mine !== stop) return;
  if (!mayListen) return askLater();
  let silence: ReturnType<typeof setTimeout> | undefined;
  const heard = (): void => {
    noteHeard();
    clearTimeout(silence);
    silence = setTimeout(() => mine.abort(), silenceMs);
  };
  silence = setTimeout(() => mine.abort(), silenceMs);
  let reason: string | null = null;
  try {
    const response = await fetch(`${root}api/v1/events`, { signal: mine.signal });
    if (response.ok && response.body !== null) {
      for await (const event of readEvents(response.body, heard)) {
        if (mine !== stop) return;
        if (event.event === 'end') reason = event.data.reason;
        else take(event);
      }
    }
  } catch {
    // Aborted, or the connection broke: try again.
  } finally {
    clearTimeout(silence);
  }
  if (mine === stop) again(reason);
}

function yieldTurn(): void {
  stop?.abort();
  stop = new AbortController();
  askLater();
}

/** Other tabs listen, as many as may. Tabs that got in each other's way do not ask at the same moment again. */
function askLater(): void {
  const wait = askAgainMs * (0.8 + 0.2 * Math.random());
  liveState.value = 'asking';
  nextTryAt.value = Date.now() + wait;
  timer = setTimeout(restart, wait);
  tell(null);
}

/** While the stream continues, an answer that failed is asked again until one comes. */
function keepTrying(): void {
  if (stop === null || liveState.value !== 'live') return;
  clearTimeout(timer);
  nextTryAt.value = null;
  if (outage.value === null) return;
  nextTryAt.value = Date.now() + askAgainMs;
  timer = setTimeout(() => {
    tell(null);
    keepTrying();
  }, askAgainMs);
}

function take(event: Exclude<Event, { event: 'end' }>): void {
  if (event.event === 'hello') {
    failures = 0;
    liveState.value = 'live';
    keepTrying();
    if (signedIn.value?.workspace.id !== event.data.workspaceId) void loadSession();
    newVersion.value = event.data.version === JOBD_PAGE_VERSION ? null : event.data.version;
    tell(null);
  } else {
    const change = event.event === 'changed' ? event.data : null;
    tell(change);
    tabs.say(change);
  }
}

/** Without a stream everything is asked again, which also finds out whether the server answers at all. */
function again(reason: string | null): void {
  const isExpected = reason === 'other workspace';
  failures += isExpected ? 0 : 1;
  liveState.value = failures > 2 && outage.value === null ? 'asking' : 'connecting';
  const wait = isExpected ? 0 : (waitsMs[failures - 1] ?? askAgainMs);
  nextTryAt.value = Date.now() + wait;
  timer = setTimeout(restart, wait);
  tell(null);
}

function tell(change: Change | null): void {
  for (const listener of listeners) listener(change);
}
