/** What the commands of one command line share. */

import type { JobUpdate } from '../api/jobs/contract.ts';
import type { Flags } from '../settings/config.ts';
import type { Output } from './terminal/output.ts';

/** The fields of a job that makes the call of a curl command. Throws `invalid_input`, and `usage` if flags set the same. */
export type ReadCurl = (command: string, flags: Flags, output: Output) => Promise<JobUpdate>;

export interface Context {
  output: Output;
  /** The command line as given. */
  argv: readonly string[];
  /** The exit code if nothing throws; a command may set it. */
  exitCode: number;
  /** Reads a curl command for `--curl`; absent if this jobd has no reader. */
  readonly readCurl?: ReadCurl;
}
