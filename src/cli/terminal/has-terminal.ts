import { isatty } from 'node:tty';

/** Whether a standard stream is a terminal. It creates none of them: that would change how a command reads them. */
export function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}
