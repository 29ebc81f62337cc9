/** The name of this process in `ps`, `top`, `pgrep` and `killall`. */

import { writeFileSync } from 'node:fs';

/** Calls it `jobd`, not `MainThread`; `process.title` would not leave the command line as it is. Linux; elsewhere it does nothing. */
export function nameProcess(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/comm', 'jobd');
  } catch {
    // Without /proc nobody sees the name.
  }
}
