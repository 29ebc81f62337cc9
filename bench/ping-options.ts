/** The command line of bench/ping. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Pings to each server a round, after a warming up with a quarter as many. */
  pings: number;
  rounds: number;
  /** Pings in flight, each on a connection of its own. */
  concurrency: number;
  monitors: number;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  /** Where the servers leave their CPU profiles; null for no profile. */
  profileDir: string | null;
}

export const usage = `node bench/ping.ts: pings to jobd beside a bare fastify handler that keeps them too

  --pings N          pings to each server a round (default 20000)
  --rounds N         rounds, of which medians are shown (default 3)
  --concurrency N    pings in flight, each on its own connection (default 64)
  --monitors N       monitors that are pinged in turn (default 10000)
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile the servers (and so make them slower); load the files in Chrome's DevTools
  --json             one JSON document with every round
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      pings: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '64' },
      monitors: { type: 'string', default: '10000' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const monitors = wholeNumber('--monitors', values.monitors, 100, 100_000);
  return {
    // No monitor gets more pings than are kept of one: every ping is a row that can be counted.
    pings: wholeNumber('--pings', values.pings, 100, monitors * 500),
    rounds: wholeNumber('--rounds', values.rounds, 1, 100),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 1_000),
    monitors,
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}
