/** For calls that do not say who makes them. */

import type { Callers } from '../../../src/engine/proof/callers.ts';

export const unidentified: Callers = { callerOf: async () => null };
