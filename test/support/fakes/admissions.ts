import type { Admissions } from '../../../src/app/app.ts';

export const noKeys: Admissions = {
  ask: async () => undefined,
  count: async () => ({ isAdmitted: false, remaining: 0, moreInMs: 0 }),
};
