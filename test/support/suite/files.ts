/**
 * Runs test files in this process. The runner of Node watches each promise, to tell to which test an error belongs that nobody
 * awaits: a third of the CPU of all tests. Here it watches the rest alone. Such an error still fails the process, with its
 * stack among the last words.
 */

import hooks from 'node:async_hooks';
import { resolve } from 'node:path';
import { inspect } from 'node:util';

const { createHook } = hooks;
hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false });

for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection']) {
  process.on(event, (error) => process.stderr.write(`${inspect(error)}\n`));
}
for (const file of process.argv.slice(2)) await import(resolve(file));
