/** The command line of bench/scale. */

import { commonOptions, defineOptions, wholeNumber } from './options.ts';
import type { OptionsOf } from './options.ts';

export const { usage, parseOptions } = defineOptions({
  name: 'scale',
  about: 'what jobs cost that are stored and not due, and pages of a long history',
  options: {
    few: wholeNumber('--few N', 'jobs in the small store', {
      fallback: 10_000,
      min: 1_000,
      max: 100_000,
    }),
    many: wholeNumber(
      '--many N',
      'jobs in the large one, and runs of the job that pages are listed of',
      { fallback: 1_000_000, min: 1_000, max: 2_000_000 },
    ),
    due: wholeNumber('--due N', 'of both, called once a minute in the second part', {
      fallback: 1_000,
      min: 1,
      max: 1_000,
    }),
    seconds: wholeNumber('--seconds N', 'how long each part is looked at', {
      fallback: 60,
      min: 5,
      max: 600,
    }),
    ...commonOptions({
      profile: 'profile jobd (and so make it slower); load the files',
      json: 'one JSON document',
    }),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
