/** A jobd with a month of history, to look around in. */

import type { Wing } from '../../serve/house.ts';

/** What it adds. */
export const demo: Wing = {
  demo: async () => (await import('./demo.ts')).prepareDemo,
};
