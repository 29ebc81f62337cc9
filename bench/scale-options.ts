/** The command line of bench/scale. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Jobs in the store, few and many. */
  few: number;
  many: number;
  /** Jobs that are called once a minute, in the second part. */
  due: number;
  /** How long each part is looked at. */
  seconds: number;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  profileDir: string | null;
}

export const usage = `node bench/scale.ts: what jobs cost that are stored and not due, and pages of a long history

  --few N            jobs in the small store (default 10000)
  --many N           jobs in the large one, and runs of the job that pages are listed of (default 1000000)
  --due N            of both, called once a minute in the second part (default 1000)
  --seconds N        how long each part is looked at (default 60)
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile jobd (and so make it slower); load the files in Chrome's DevTools
  --json             one JSON document
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      few: { type: 'string', default: '10000' },
      many: { type: 'string', default: '1000000' },
      due: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '60' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    few: wholeNumber('--few', values.few, 1_000, 100_000),
    many: wholeNumber('--many', values.many, 1_000, 2_000_000),
    due: wholeNumber('--due', values.due, 1, 1_000),
    seconds: wholeNumber('--seconds', values.seconds, 5, 600),
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}
