/** Commands of curl and wget, and crontabs, read as jobs. */

import type { House } from '../../serve/house.ts';

/** Adds it to the house. */
export function register(house: House): void {
  house.operations(async () => (await import('./routes.ts')).readerRoutes);
  house.curl(async (...given) => (await import('./job-curl.ts')).fieldsOfCurl(...given));
}
