/** The command line of bench/api. */

import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { wholeNumber } from './options.ts';

export interface Options {
  /** Calls of getJob in a round; of the other operations a share of it. */
  requests: number;
  rounds: number;
  /** Requests in flight, each on a connection of its own. */
  concurrency: number;
  /** Jobs in the store. */
  jobs: number;
  /** Jobs that go out while getJob is asked; 0 leaves that part out. */
  storm: number;
  json: boolean;
  /** The built jobd to measure. */
  bundle: string;
  /** Where both servers leave their CPU profiles; null for no profile. */
  profileDir: string | null;
}

export const usage = `node bench/api.ts: requests to jobd beside a bare fastify handler with the same SQL

  --requests N       calls of getJob a round; a fifth of listJobs, a quarter of createJob (default 20000)
  --rounds N         rounds, of which medians are shown (default 5)
  --concurrency N    requests in flight, each on its own connection (default 16)
  --jobs N           jobs in the store (default 10000)
  --storm N          jobs that go out while getJob is asked; 0 for none (default 10000)
  --bundle FILE      the built jobd (default dist/jobd.cjs)
  --cpu-prof DIR     profile both servers (and so make them slower); load the files in Chrome's DevTools
  --json             one JSON document with every round
`;

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]): Options | 'help' {
  const { values } = parseArgs({
    args,
    options: {
      requests: { type: 'string', default: '20000' },
      rounds: { type: 'string', default: '5' },
      concurrency: { type: 'string', default: '16' },
      jobs: { type: 'string', default: '10000' },
      storm: { type: 'string', default: '10000' },
      bundle: { type: 'string', default: join(import.meta.dirname, '..', 'dist', 'jobd.cjs') },
      'cpu-prof': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    requests: wholeNumber('--requests', values.requests, 1_000, 100_000),
    rounds: wholeNumber('--rounds', values.rounds, 1, 100),
    concurrency: wholeNumber('--concurrency', values.concurrency, 1, 1_000),
    jobs: wholeNumber('--jobs', values.jobs, 100, 1_000_000),
    storm: wholeNumber('--storm', values.storm, 0, 100_000),
    json: values.json,
    bundle: values.bundle,
    profileDir: values['cpu-prof'] ?? null,
  };
}
