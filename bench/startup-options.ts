/** The command line of bench/startup. */

import { builtFile, defineOptions, flag, wholeNumber } from './options.ts';
import type { OptionsOf } from './options.ts';

export const { usage, parseOptions } = defineOptions({
  name: 'startup',
  about: 'how long commands take to start and end, beside node -e 0',
  options: {
    rounds: wholeNumber('--rounds N', 'starts of each command, in turn', {
      fallback: 40,
      min: 1,
      max: 1_000,
    }),
    executable: builtFile('--executable FILE', 'the packaged jobd', 'jobd'),
    json: flag('--json', 'one JSON document with every time'),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
