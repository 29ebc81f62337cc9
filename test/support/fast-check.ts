/** fast-check with the seed of this run: tests import it from here. */

import { configureGlobal, defaultReportMessage, nat, string, type Arbitrary } from 'fast-check';
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

/** A text of any code points. With the unit `binary`, a process spends a second on a table of them all. */
export function anyText(maxLength: number): Arbitrary<string> {
  return string({ unit: nat(0x10_ff_ff).map((code) => String.fromCodePoint(code)), maxLength });
}
