/** The command line of bench/soak. */

import { commonOptions, defineOptions, wholeNumber } from './options.ts';
import type { OptionsOf } from './options.ts';

export const { usage, parseOptions } = defineOptions({
  name: 'soak',
  about: 'what jobd holds while it calls at a steady rate: memory, sockets, room on the disk',
  options: {
    /** Each job is called once a minute. */
    rate: wholeNumber('--rate N', 'runs a second', { fallback: 500, min: 1, max: 5_000 }),
    minutes: wholeNumber('--minutes N', 'how long', { fallback: 30, min: 1, max: 600 }),
    ...commonOptions({
      profile: 'profile jobd (and so make it slower); load the file',
      json: 'one JSON document with every sample',
    }),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
