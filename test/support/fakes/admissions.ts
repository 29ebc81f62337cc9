/** The limit of keys where there are no keys. */

import type { Admissions } from '../../../src/app/app.ts';

/** Knows no key. */
export const noKeys: Admissions = {
  ask: async () => undefined,
  count: async () => ({ isAdmitted: false, remaining: 0, moreInMs: 0 }),
};
