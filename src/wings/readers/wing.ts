/** Commands of curl and wget, and crontabs, read as jobs. */

import type { Wing } from '../../serve/house.ts';

export const readers: Wing = {
  operations: async () => (await import('./routes.ts')).readerRoutes,
  readCurl: async (...given) => (await import('./job-curl.ts')).fieldsOfCurl(...given),
};
