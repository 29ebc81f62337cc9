/** The name of this process in `ps`, `top`, `pgrep` and `killall`. */

import { writeFileSync } from 'node:fs';

/**
 * Calls it `jobd`: Node calls its main thread `MainThread`. The command line stays, as `process.title` would not leave it. Linux;
 * elsewhere it does nothing.
 */
export function nameProcess(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/comm', 'jobd');
  } catch {
    // Without /proc nobody sees the name.
  }
}
