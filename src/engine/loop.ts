/**
 * The one shape of everything that runs by itself. A step does a batch of work and returns how long to rest. The loop
 * rests, or is woken. Only here are unexpected errors logged, and they lead to a pause, never to an end. A database that
 * cannot be used is no unexpected error of each loop: they share what the log says of it.
 */

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';
import { messageOf } from '../domain/errors.ts';
import { found, type Finding } from '../domain/findings.ts';
import type { Log } from '../base/log.ts';
import { outageIn } from '../base/outage.ts';

/** Does one batch. Returns how many milliseconds to rest; 0 if there is more to do right away. */
export type Step = () => Promise<number>;

/** How many milliseconds to rest, and whether no wake ends that. */
export type Rest = number | { keptMs: number };

export interface Loop extends AsyncDisposable {
  /** Ends a rest. Wakes in one turn of the event loop lead to one step. */
  readonly wake: () => void;
  /** Why the last step failed, in a sentence; null if it succeeded. */
  readonly failure: string | null;
}

/** The longest rest, so that a change of the wall clock is noticed. */
const longestRestMs = 1_000;
/** The rest after a failed step doubles from the first to the last. */
const firstPauseMs = 100;
const longestPauseMs = 5_000;

/** Starts a loop; disposing of it waits for the step under way. */
export function startLoop(
  name: string,
  step: () => Promise<Rest>,
  { log, clock }: { log: Log; clock: Pick<Clock, 'after'> },
): Loop {
  const stopper = new AbortController();
  let isWoken = false;
  /** Ends the rest under way. */
  let endRest: (() => void) | undefined;
  let isRestKept = false;
  let failures = 0;
  let failure: string | null = null;
  const self = { name };
  const outage = outageIn(log);
  /** Whether the log says that it failed. */
  let isLogged = false;

  const guardedStep = async (): Promise<number> => {
    try {
      const restMs = await step();
      outage.isOver(self);
      if (isLogged) log.info({ loop: name, failures }, `${name} works again`);
      isLogged = false;
      failures = 0;
      failure = null;
      isRestKept = typeof restMs === 'object';
      return typeof restMs === 'object' ? restMs.keptMs : Math.min(restMs, longestRestMs);
    } catch (error) {
      failures += 1;
      // Another step would only fail again.
      isRestKept = true;
      failure = messageOf(error);
      const pauseMs = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
      if (!outage.fails(self, error)) {
        isLogged = true;
        log.error({ err: error, loop: name, failures, pauseMs }, `${name} failed, will try again`);
      }
      return pauseMs;
    }
  };

  const rest = (restMs: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = clock.after(restMs, resolve);
      endRest = () => {
        timer[Symbol.dispose]();
        resolve();
      };
    });

  const run = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      isWoken = false;
      const restMs = await guardedStep();
      const isUrgent = isWoken && !isRestKept;
      if (!stopper.signal.aborted && !isUrgent && restMs > 0) await rest(restMs);
      endRest = undefined;
      // Requests that arrived during the step are answered before the next one.
      await setImmediate();
    }
  };

  const ended = run();
  return {
    wake() {
      isWoken = true;
      if (!isRestKept) endRest?.();
    },
    get failure() {
      return failure;
    },
    async [Symbol.asyncDispose]() {
      stopper.abort();
      endRest?.();
      await ended;
      outage.leaves(self);
    },
  };
}

/** Which loops fail, and why: those that fail for one reason, such as a database that is away, together. */
export function loopFindings(
  loops: ReadonlyMap<string, Loop>,
  essential: readonly string[],
): Finding[] {
  const failing = [...loops].flatMap(([name, { failure: reason }]) =>
    reason === null ? [] : [{ name, reason, isEssential: essential.includes(name) }],
  );
  const byReason = Map.groupBy(failing, ({ reason }) => reason);
  return Array.from(byReason, ([reason, its]) => {
    const names = its.map(({ name }) => name);
    const facts = { loops: names, reason, count: names.length };
    return found(its.some(({ isEssential }) => isEssential) ? 'loop-fails' : 'upkeep-fails', facts);
  });
}

/** Under pressure, a background step rests this many times as long as it took: it gets a fiftieth of the time. */
const restsPerStep = 49;
/** A step that had to wait for others did not work all of its time. */
const longestPressedRestMs = 2_000;

/** A step that leaves the time to others. A wake does not end its rests, unless it returned `Infinity`. */
export function background(
  step: Step,
  clock: Pick<Clock, 'monotonicMs'>,
  isPressed: () => boolean,
): () => Promise<Rest> {
  return async () => {
    const began = clock.monotonicMs();
    const restMs = await step();
    const pressedMs = Math.min(restsPerStep * (clock.monotonicMs() - began), longestPressedRestMs);
    const keptMs = isPressed() ? Math.max(restMs, pressedMs) : restMs;
    return keptMs === Infinity ? Infinity : { keptMs };
  };
}
