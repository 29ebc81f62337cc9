/** The command line of bench/api. */

import { commonOptions, defineOptions, wholeNumber } from './options.ts';
import type { OptionsOf } from './options.ts';

export const { usage, parseOptions } = defineOptions({
  name: 'api',
  about: 'requests to jobd beside a bare fastify handler with the same SQL',
  options: {
    requests: wholeNumber(
      '--requests N',
      'calls of getJob a round; a fifth of listJobs, a quarter of createJob',
      { fallback: 20_000, min: 1_000, max: 100_000 },
    ),
    rounds: wholeNumber('--rounds N', 'rounds, of which medians are shown', {
      fallback: 5,
      min: 1,
      max: 100,
    }),
    concurrency: wholeNumber('--concurrency N', 'requests in flight, each on its own connection', {
      fallback: 16,
      min: 1,
      max: 1_000,
    }),
    jobs: wholeNumber('--jobs N', 'jobs in the store', {
      fallback: 10_000,
      min: 100,
      max: 1_000_000,
    }),
    storm: wholeNumber('--storm N', 'jobs that go out while getJob is asked; 0 for none', {
      fallback: 10_000,
      min: 0,
      max: 100_000,
    }),
    ...commonOptions({
      profile: 'profile both servers (and so make them slower); load the files',
      json: 'one JSON document with every round',
    }),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
