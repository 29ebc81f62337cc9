/** What the commands of one command line share. */

import type { Output } from './terminal/output.ts';

export interface Context {
  output: Output;
  /** The command line, as it was given. */
  argv: readonly string[];
  /** What the command line ends with if all goes well; a command may set it. */
  exitCode: number;
}
