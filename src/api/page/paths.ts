/** Each has a document and a page; all other paths stay 404. */
export const pagePaths = [
  '/',
  '/sign-in',
  '/jobs/new',
  '/jobs/:id',
  '/jobs/:id/edit',
  '/jobs/:id/runs/:runId',
  '/monitors',
  '/monitors/new',
  '/monitors/:id',
  '/monitors/:id/edit',
  '/channels',
  '/channels/new',
  '/channels/:id',
  '/channels/:id/edit',
  '/timetable',
  '/trouble',
  '/audit',
  '/settings',
] as const;
export type PagePath = (typeof pagePaths)[number];
