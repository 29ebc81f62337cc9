/**
 * What a simulation replaces in its process, before anything of `src` is loaded: ids come from the history's seed, and rests that no
 * injected clock gives take virtual time. A timer that is not replaced would make a history that cannot be repeated, so it is an error.
 */

import { registerHooks, syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

const urlOf = (path: string): string => new URL(path, import.meta.url).href;
const realIds = urlOf('../../src/domain/id.ts');
const simulatedIds = urlOf('ids.ts');

const realImmediate = timers.setImmediate;

/** Resolves when every promise that can go on has gone on. */
export const settled = (): Promise<unknown> => realImmediate();

/** What the replaced functions need of the world that is simulated now. */
export interface Replacing {
  immediate(run: () => void): Disposable;
  after(ms: number, run: () => void): Disposable;
}

let replacing: Replacing | null = null;

/** Lets rests take the time of this world from now on. */
export function replaceWith(world: Replacing): void {
  replacing = world;
}

function simulated(): Replacing {
  if (replacing === null) throw new Error('a timer was asked for outside a simulation');
  return replacing;
}

function rest<T>(
  ms: number | undefined,
  value: T,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<T> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = simulated().after(ms ?? 0, () => resolve(value));
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

function refuse(): never {
  throw new Error('a real timer was asked for in simulated code');
}

/** Replaces ids and timers in this process. */
export function replaceTimers(): void {
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      const isReplaced = found.url === realIds && context.parentURL !== simulatedIds;
      return isReplaced ? { ...found, url: simulatedIds } : found;
    },
  });
  Object.assign(timers, {
    setTimeout: rest,
    setImmediate: (value: unknown) =>
      new Promise((resolve) => void simulated().immediate(() => resolve(value))),
  });
  syncBuiltinESMExports();
  Object.assign(globalThis, {
    setImmediate: (run: (...given: unknown[]) => void, ...given: unknown[]) =>
      simulated().immediate(() => run(...given)),
    setTimeout: refuse,
    setInterval: refuse,
  });
}
