/** The command line of bench/startup. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Starts of each command, in turn. */
  rounds: number;
  json: boolean;
  /** The packaged jobd to measure. */
  executable: string;
}

export const usage = `node bench/startup.ts: how long commands take to start and end, beside node -e 0

  --rounds N          starts of each command, in turn (default 40)
  --executable FILE   the packaged jobd (default dist/jobd)
  --json              one JSON document with every time
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      rounds: { type: 'string', default: '40' },
      executable: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd') },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    rounds: wholeNumber('--rounds', values.rounds, 1, 1_000),
    executable: values.executable,
    json: values.json,
  };
}
