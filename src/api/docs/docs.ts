/** The reference page for people, at `/docs`. */

import { referencePage } from './page.ts';
import type { PagesApp } from '../../app/app.ts';
import { fixedAnswer } from '../http/fixed-answer.ts';
import type { ApiServer } from '../http/fastify.ts';
import type { OpenApiDocument } from '../description/openapi-document.ts';

/** No scripts, and nothing from elsewhere: only the page's own stylesheet. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds the page and its stylesheet. They are public: they show only the interface. Without a build there is no stylesheet. */
export function docsRoutes(
  server: ApiServer,
  { pageFile }: PagesApp,
  description: () => OpenApiDocument,
): void {
  const page = fixedAnswer('text/html; charset=utf-8', () => referencePage(description()));
  server.get('/docs', (request, reply) =>
    page(request, reply.header('content-security-policy', pagePolicy)),
  );
  const sheet = fixedAnswer('text/css; charset=utf-8', () => pageFile('docs.css'));
  server.get('/docs.css', sheet);
}
