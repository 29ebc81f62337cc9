/** The command line of bench/ping. */

import { commonOptions, defineOptions, readWholeNumber, wholeNumber } from './options.ts';
import type { Option } from './options.ts';

/** Pings to each server, after a warming up with a quarter as many. */
const pings: Option<string> = {
  typed: '--pings N',
  about: 'pings to each server a round',
  fallback: '20000',
  read: (given = '') => given,
};

const { usage, parseOptions: parse } = defineOptions({
  name: 'ping',
  about: 'pings to jobd beside a bare fastify handler that keeps them too',
  options: {
    pings,
    rounds: wholeNumber('--rounds N', 'rounds, of which medians are shown', {
      fallback: 3,
      min: 1,
      max: 100,
    }),
    concurrency: wholeNumber('--concurrency N', 'pings in flight, each on its own connection', {
      fallback: 64,
      min: 1,
      max: 1_000,
    }),
    monitors: wholeNumber('--monitors N', 'monitors that are pinged in turn', {
      fallback: 10_000,
      min: 100,
      max: 100_000,
    }),
    ...commonOptions({
      profile: 'profile the servers (and so make them slower); load the files',
      json: 'one JSON document with every round',
    }),
  },
});
export { usage };

/** Reads the options. Throws an Error with a sentence for people. */
export function parseOptions(args: string[]) {
  const options = parse(args);
  if (options === 'help') return options;
  // No monitor gets more pings than are kept of one: every ping is a row that can be counted.
  const most = options.monitors * 500;
  return { ...options, pings: readWholeNumber('--pings', options.pings, 100, most) };
}

export type Options = Exclude<ReturnType<typeof parseOptions>, 'help'>;
