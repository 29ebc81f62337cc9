/** The reference page for people, at `/docs`: made here, from the description, and from nothing else. */

import { referencePage } from './page.ts';
import { stylesheet } from './style.ts';
import { fixedAnswer } from '../http/fixed-answer.ts';
import type { ApiServer } from '../http/fastify.ts';
import type { OpenApiDocument } from '../description/openapi-document.ts';

/** Nothing runs, nothing comes from elsewhere: one stylesheet of our own. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds page and stylesheet. Neither needs a key: they show nothing but the interface. */
export function docsRoutes(server: ApiServer, description: () => OpenApiDocument): void {
  const page = fixedAnswer('text/html; charset=utf-8', () => referencePage(description()));
  server.get('/docs', (request, reply) =>
    page(request, reply.header('content-security-policy', pagePolicy)),
  );
  server.get(
    '/docs.css',
    fixedAnswer('text/css; charset=utf-8', () => stylesheet),
  );
}
