/** The command line of bench/storm. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** The N of each storm. */
  jobs: number[];
  rounds: number;
  /** Calls in flight at most. */
  concurrency: number;
  /** How long the sink waits before it answers, in milliseconds. */
  delayMs: number;
  /** Calls that jobd and the yardstick make before the instant. */
  warm: number;
  /** Whether jobd signs receipts. */
  receipts: boolean;
  /** Whether the jobs have headers and bodies, which are sealed. */
  secrets: boolean;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  /** Where jobd leaves a CPU profile of each round; null for no profile. */
  profileDir: string | null;
}

export const usage = `node bench/storm.ts: many jobs due at one instant, jobd beside bare undici

  --jobs N[,N...]    jobs due at the instant (default 1000,10000)
  --rounds N         rounds of each, of which medians are shown (default 3)
  --concurrency N    calls in flight at most (default 256)
  --delay MS         the target answers after this long (default 0)
  --warm N           calls made before the instant, so that code and connections are warm (default 0)
  --no-receipts      jobd issues none
  --secrets          the jobs of jobd have headers and bodies, which are sealed
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile jobd (and so make it slower); load the files in Chrome's DevTools
  --json             one JSON document with every round
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      jobs: { type: 'string', default: '1000,10000' },
      rounds: { type: 'string', default: '3' },
      concurrency: { type: 'string', default: '256' },
      delay: { type: 'string', default: '0' },
      warm: { type: 'string', default: '0' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      'no-receipts': { type: 'boolean', default: false },
      secrets: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    jobs: values.jobs.split(',').map((text) => wholeNumber('--jobs', text, 1, 1_000_000)),
    rounds: wholeNumber('--rounds', values.rounds, 1, 100),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 10_000),
    delayMs: wholeNumber('--delay', values.delay, 0, 10_000),
    warm: wholeNumber('--warm', values.warm, 0, 10_000),
    receipts: !values['no-receipts'],
    secrets: values.secrets,
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}

/** A whole number within bounds; throws an Error that names the option. */
export function wholeNumber(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number between ${min} and ${max}, got ${text}`);
}
