/** The command line of bench/prune. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Runs in the store when the plan is lowered, near enough. */
  runs: number;
  /** Jobs, each called once a minute. */
  jobs: number;
  /** How long is measured before the plan is lowered. */
  seconds: number;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  /** Where jobd leaves its CPU profile; null for no profile. */
  profileDir: string | null;
}

export const usage = `node bench/prune.ts: getJob and the lateness of calls while a lowered plan is pruned, beside the same before

  --runs N           runs in the store; all but 100000 are pruned (default 1000000)
  --jobs N           jobs that are called once a minute (default 1000)
  --seconds N        measured before the plan is lowered (default 60)
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile jobd (and so make it slower); load the file in Chrome's DevTools
  --json             one JSON document
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '1000000' },
      jobs: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '60' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    runs: wholeNumber('--runs', values.runs, 110_000, 1_000_000),
    jobs: wholeNumber('--jobs', values.jobs, 10, 1_000),
    seconds: wholeNumber('--seconds', values.seconds, 5, 600),
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}
