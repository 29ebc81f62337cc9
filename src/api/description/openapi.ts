/** Where the description of the API is published, and how the routes come into it. */

import type { RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { ApiServer } from '../http/fastify.ts';
import { openApiDocument } from './openapi-document.ts';
import type { DescribedRoute, OpenApiDocument } from './openapi-document.ts';

/** Methods that describe themselves: HEAD answers as GET does, OPTIONS is for browsers. */
const undescribed = new Set(['HEAD', 'OPTIONS']);

/**
 * Collects the routes below `prefix` that are added from here on, and returns what makes their
 * description. A route without notes cannot be added: nobody could know it. `apiUrl` is asked when
 * the description is.
 */
export function describeRoutes(
  server: ApiServer,
  prefix: string,
  apiUrl: () => string,
): () => OpenApiDocument {
  const routes: DescribedRoute[] = [];
  server.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${prefix}/`)) routes.push(...describedRoutes(route, prefix));
  });
  let made: OpenApiDocument | undefined;
  return () => (made ??= openApiDocument(routes, apiUrl()));
}

function describedRoutes({ method, url, schema }: RouteOptions, prefix: string): DescribedRoute[] {
  const methods = [method].flat().filter((name) => !undescribed.has(name));
  return methods.map((name) => {
    const { operation, response } = schema ?? {};
    if (operation === undefined || response === undefined) {
      throw new Error(`${name} ${url} needs schema.operation and schema.response to be described`);
    }
    const path = url.slice(prefix.length).replaceAll(/:(\w+)/g, '{$1}');
    return { method: name, path, schema: { ...schema, operation } };
  });
}

/** Sent as the bytes it is kept as. */
const DocumentBytes = Type.Unsafe<Buffer>({ type: 'object', description: 'OpenAPI 3.1.' });

/** Adds the route of the description. It needs no key: generators fetch it. */
export function openApiRoutes(server: ApiServer, description: () => OpenApiDocument): void {
  let bytes: Buffer | undefined;
  server.route({
    method: 'GET',
    url: '/openapi.json',
    schema: {
      response: { 200: DocumentBytes },
      operation: {
        operationId: 'getOpenApi',
        tag: 'Description',
        summary: 'Get the description of the API',
        description: 'What this page shows, as an OpenAPI 3.1 document.',
        answer: 'The document.',
        failures: {},
        isOpen: true,
        isExtension: true,
      },
    },
    handler: async (_, reply) => {
      bytes ??= Buffer.from(JSON.stringify(description()));
      return reply.type('application/json; charset=utf-8').send(bytes);
    },
  });
}
