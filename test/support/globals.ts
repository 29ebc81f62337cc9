/** Globals of a browser, for code that is written for one. */

import type { TestContext } from 'node:test';

/** Gives globals other values until the test ends. */
export function replaceGlobals(t: TestContext, values: Record<string, unknown>): void {
  for (const [name, value] of Object.entries(values)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name);
    Object.defineProperty(globalThis, name, { value, configurable: true });
    t.after(() => {
      if (before === undefined) Reflect.deleteProperty(globalThis, name);
      else Object.defineProperty(globalThis, name, before);
    });
  }
}
