/** What signals do from the first moment on. Commands that wait for signals add listeners of their own. */

import { readFileSync } from 'node:fs';
import { constants } from 'node:os';

/** The signals that end a process, unless it says otherwise. */
const endings = ['SIGHUP', 'SIGINT', 'SIGTERM', 'SIGQUIT'] as const;

/** To be called before anything else. */
export function keepSignals(): void {
  // Node would open its debugger, which runs the code of every user of this machine.
  process.on('SIGUSR1', () => {});
  // The system drops them for the first process of a container unless somebody listens.
  if (process.pid !== 1) return;
  const early = endedBefore();
  if (early !== null) process.exit(128 + constants.signals[early]);
  for (const signal of endings) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(128 + constants.signals[signal]);
    });
  }
}

/** Node catches these itself from its first milliseconds on, each once, and then sends them to itself again: which the system drops. */
const caughtByNode = ['SIGTERM', 'SIGINT'] as const;

/** The signal that came while Node was starting: Node does not catch it any more. */
function endedBefore(): (typeof caughtByNode)[number] | null {
  const caught = caughtSignals();
  return caughtByNode.find((signal) => !caught(constants.signals[signal])) ?? null;
}

/** Which signals this process catches, by their numbers: proc_pid_status(5). */
function caughtSignals(): (number: number) => boolean {
  try {
    const status = readFileSync('/proc/self/status', 'utf8');
    const mask = BigInt(`0x${/^SigCgt:\t([0-9a-f]+)$/m.exec(status)?.[1] ?? ''}`);
    return (number) => ((mask >> BigInt(number - 1)) & 1n) === 1n;
  } catch {
    return () => true; // without /proc nobody knows
  }
}
