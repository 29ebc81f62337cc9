/** The command line of bench/prune. */

import { commonOptions, defineOptions, wholeNumber } from './options.ts';
import type { OptionsOf } from './options.ts';

export const { usage, parseOptions } = defineOptions({
  name: 'prune',
  about: 'getJob and the lateness of calls while a lowered plan is pruned, beside the same before',
  options: {
    /** When the plan is lowered, near enough. */
    runs: wholeNumber('--runs N', 'runs in the store; all but 100000 are pruned', {
      fallback: 1_000_000,
      min: 120_000,
      max: 1_000_000,
    }),
    jobs: wholeNumber('--jobs N', 'jobs that are called once a minute', {
      fallback: 1_000,
      min: 10,
      max: 1_000,
    }),
    seconds: wholeNumber('--seconds N', 'measured before the plan is lowered', {
      fallback: 60,
      min: 5,
      max: 600,
    }),
    ...commonOptions({
      profile: 'profile jobd (and so make it slower); load the file',
      json: 'one JSON document',
    }),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
