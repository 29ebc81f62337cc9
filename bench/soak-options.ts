/** The command line of bench/soak. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Runs a second; each job is called once a minute. */
  rate: number;
  minutes: number;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  /** Where jobd leaves its CPU profile; null for no profile. */
  profileDir: string | null;
}

export const usage = `node bench/soak.ts: what jobd holds while it calls at a steady rate: memory, sockets, room on the disk

  --rate N           runs a second (default 500)
  --minutes N        how long (default 30)
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile jobd (and so make it slower); load the file in Chrome's DevTools
  --json             one JSON document with every sample
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      rate: { type: 'string', default: '500' },
      minutes: { type: 'string', default: '30' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    rate: wholeNumber('--rate', values.rate, 1, 5_000),
    minutes: wholeNumber('--minutes', values.minutes, 3, 600),
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}
