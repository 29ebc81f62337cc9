/** Which windows listen, where they can only ask each other: in simulated time, with words that arrive late. */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { seededRandom } from '../../support/dice.ts';
import { replaceGlobals } from '../../support/globals.ts';

/** What a window loads: `src/dashboard/client/turns.ts`, which is written for browsers. */
interface Turns {
  followTurns: (tooMany: () => void) => void;
  takeTurn: (end: AbortSignal) => Promise<boolean>;
}

type Listener = (event: { data: unknown }) => void;

const windowCount = 6;
const askAgainMs = 10_000;
let random = seededRandom(1);
/** How long a word is under way at most, and how late a window may start. */
let busyMs = 0;

/** Hands each word to the other windows, to each at its own time, and in the order in which one window said them. */
class LateChannel {
  static all: LateChannel[] = [];
  readonly #arrivals = new Map<LateChannel, number>();
  #listener: Listener = () => {};

  constructor() {
    LateChannel.all.push(this);
  }

  addEventListener(_: 'message', listener: Listener): void {
    this.#listener = listener;
  }

  postMessage(data: unknown): void {
    for (const other of LateChannel.all.filter((one) => one !== this)) {
      const at = Math.max(Date.now() + random() * busyMs, this.#arrivals.get(other) ?? 0);
      this.#arrivals.set(other, at);
      setTimeout(() => other.#listener({ data }), at - Date.now());
    }
  }
}

/** A window that asks for a turn, and again after a while when it got none. */
class Window {
  isListening = false;
  readonly #turns: Turns;
  #end = new AbortController();

  constructor(turns: Turns) {
    this.#turns = turns;
    turns.followTurns(() => this.#wait());
  }

  async ask(): Promise<void> {
    this.close();
    const end = new AbortController();
    this.#end = end;
    const mayListen = await this.#turns.takeTurn(end.signal);
    if (end.signal.aborted) return;
    if (mayListen) this.isListening = true;
    else this.#wait();
  }

  close(): void {
    this.#end.abort();
    this.isListening = false;
  }

  #wait(): void {
    this.close();
    const { signal } = (this.#end = new AbortController());
    const waitMs = askAgainMs * (0.8 + 0.2 * random());
    setTimeout(() => void (signal.aborted || this.ask()), waitMs);
  }
}

let windowsSoFar = 0;
/** The random id of who asks next. */
let nextId = (): bigint => 0n;

/** Six windows of a browser without locks, in simulated time; they are gone after the test. */
async function openWindows(t: TestContext) {
  LateChannel.all = [];
  const site = new URL('http://jobd.test/');
  replaceGlobals(t, { location: site, BroadcastChannel: LateChannel, navigator: {} });
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 });
  t.mock.method(crypto, 'getRandomValues', (ids: BigUint64Array) => ids.fill(nextId()));
  const path = '../../../src/dashboard/client/turns.ts';
  const windows: Window[] = [];
  while (windows.length < windowCount) {
    windowsSoFar += 1;
    windows.push(new Window((await import(`${path}?window=${windowsSoFar}`)) as Turns));
  }
  /** Lets time pass, and calls `look` every 50 ms. */
  const pass = async (ms: number, look: () => void = () => {}): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      t.mock.timers.tick(50);
      await setImmediate();
      look();
    }
  };
  return { windows, pass, listening: () => windows.filter((window) => window.isListening) };
}

test('four of six windows listen, and more only until they hear each other', async (t) => {
  const { windows, pass, listening } = await openWindows(t);
  nextId = () => BigInt(Math.floor(random() * 2 ** 32));
  for (let seed = 1; seed <= 120; seed += 1) {
    random = seededRandom(seed);
    busyMs = [50, 400, 2_000][seed % 3]!;
    const what = `seed ${seed}, words under way for ${busyMs} ms at most`;
    let tooManyMs = 0;
    // A question and its answer may be late, and what both windows did meanwhile as well.
    const noteTooMany = (): void => {
      tooManyMs = listening().length > 4 ? tooManyMs + 50 : 0;
      assert.ok(tooManyMs <= 4 * busyMs, `${what}: ${listening().length} listen`);
    };
    const assertEnough = (): void => {
      noteTooMany();
      assert.ok(listening().length >= 4, `${what}: only ${listening().length} listen`);
    };
    for (const window of windows) setTimeout(() => void window.ask(), random() * busyMs);
    await pass(25_000, noteTooMany);
    await pass(10_000, assertEnough);
    // A window that is closed lets another one listen.
    const gone = listening()[Math.floor(random() * listening().length)]!;
    gone.close();
    await pass(25_000, noteTooMany);
    await pass(10_000, assertEnough);
    for (const window of windows) window.close();
    await pass(askAgainMs);
  }
});

test('of windows that ask in the same millisecond the four lowest ids listen', async (t) => {
  const { windows, pass, listening } = await openWindows(t);
  busyMs = 0;
  for (const lowest of [0n, 2n ** 64n - BigInt(windowCount)]) {
    let id = lowest;
    nextId = () => id++;
    for (const window of windows) void window.ask();
    await pass(2_000);
    assert.deepEqual(listening(), windows.slice(0, 4));
    for (const window of windows) window.close();
    await pass(askAgainMs);
  }
});
