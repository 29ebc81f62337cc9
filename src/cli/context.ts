/** What the commands of one command line share. */

import type { Output } from './terminal/output.ts';

export interface Context {
  output: Output;
  /** The command line as given. */
  argv: readonly string[];
  /** The exit code if nothing throws; a command may set it. */
  exitCode: number;
}
