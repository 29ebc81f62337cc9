/** What signals do from the first moment on. Commands that wait for signals add listeners of their own. */

import { constants } from 'node:os';

/** The signals that end a process, unless it says otherwise. */
const endings = ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGQUIT'] as const;

/** To be called before anything else. */
export function keepSignals(): void {
  // Node would open its debugger, which runs the code of every user of this machine.
  process.on('SIGUSR1', () => {});
  // The system drops them for the first process of a container unless somebody listens.
  if (process.pid !== 1) return;
  for (const signal of endings) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}
