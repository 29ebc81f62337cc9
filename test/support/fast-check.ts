/** fast-check with the seed of this run: tests import it from here. */

import { configureGlobal, defaultReportMessage } from 'fast-check';
import { repeatedBy, seed } from './dice.ts';

export * from 'fast-check';

configureGlobal({
  seed,
  reporter(details) {
    if (!details.failed) return;
    const message = `${defaultReportMessage(details) ?? 'a property fails'}\nRepeated by ${repeatedBy}`;
    throw new Error(message, { cause: details.errorInstance });
  },
});
