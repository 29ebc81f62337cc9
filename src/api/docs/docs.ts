/** The reference page for people, at `/docs`: made here, from the description, and from nothing else. */

import { referencePage } from './page.ts';
import { stylesheet } from './style.ts';
import type { ApiServer } from '../fastify.ts';
import type { OpenApiDocument } from '../description/openapi-document.ts';

/** Nothing runs, nothing comes from elsewhere: one stylesheet of our own. */
const pagePolicy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Adds page and stylesheet. Neither needs a key: they show nothing but the interface. */
export function docsRoutes(server: ApiServer, description: () => OpenApiDocument): void {
  let page: string | undefined;
  server.get('/docs', (_, reply) => {
    page ??= referencePage(description());
    return reply
      .headers({ 'content-security-policy': pagePolicy, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page);
  });
  server.get('/docs.css', (_, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(stylesheet),
  );
}
