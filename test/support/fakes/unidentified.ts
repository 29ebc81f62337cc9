/** For calls that do not say who makes them. */

import type { Callers } from '../../../src/engine/calls/callers.ts';

export const unidentified: Callers = { callerOf: async () => null };
