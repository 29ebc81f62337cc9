/** The command line of bench/storm. */

import { servers } from './certificates.ts';
import type { KeyKind } from './certificates.ts';
import { commonOptions, defineOptions, flag, readWholeNumber, wholeNumber } from './options.ts';
import type { Option, OptionsOf } from './options.ts';

/** The N of each storm. */
const jobs: Option<number[]> = {
  typed: '--jobs N[,N...]',
  about: 'jobs due at the instant',
  fallback: '1000,10000',
  read: (given = '') =>
    given.split(',').map((text) => readWholeNumber('--jobs', text, 1, 1_000_000)),
};

/** What key the target's certificate is for; null if it speaks no TLS. */
const tls: Option<KeyKind | null> = {
  typed: '--tls KEY',
  about: `the target speaks TLS, with a key of this kind: ${Object.keys(servers).join(' or ')}`,
  read(given) {
    if (given === undefined) return null;
    if (given === 'ecdsa' || given === 'rsa') return given;
    throw new Error(`--tls must be ${Object.keys(servers).join(' or ')}, got ${given}`);
  },
};

export const { usage, parseOptions } = defineOptions({
  name: 'storm',
  about: 'many jobs due at one instant, jobd beside bare undici',
  options: {
    jobs,
    rounds: wholeNumber('--rounds N', 'rounds of each, of which medians are shown', {
      fallback: 3,
      min: 1,
      max: 100,
    }),
    // As many slots as jobd has unless it is told otherwise.
    concurrency: wholeNumber('--concurrency N', 'calls in flight at most', {
      fallback: 512,
      min: 1,
      max: 10_000,
    }),
    delayMs: wholeNumber('--delay MS', 'the target answers after this long', {
      fallback: 0,
      min: 0,
      max: 10_000,
    }),
    tls,
    hosts: wholeNumber('--hosts N', 'names of the target, called in turn; 0 for its address', {
      fallback: 0,
      min: 0,
      max: 100_000,
    }),
    warm: wholeNumber(
      '--warm N',
      'calls to its address before the instant: code and connections to it are warm',
      { fallback: 0, min: 0, max: 10_000 },
    ),
    /** Whether jobd signs them. */
    receipts: {
      typed: '--no-receipts',
      about: 'jobd issues none',
      read: (given) => given === undefined,
    },
    secrets: flag('--secrets', 'the jobs of jobd have headers and bodies, which are sealed'),
    ...commonOptions({
      profile: 'profile jobd (and so make it slower); load the files',
      json: 'one JSON document with every round',
    }),
  },
});
export type Options = OptionsOf<typeof parseOptions>;
