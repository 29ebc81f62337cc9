/** Collects the routes for the API description, and publishes it. */

import type { FastifySchema, RouteOptions } from 'fastify';
import { Type } from 'typebox';
import type { ApiServer } from '../http/fastify.ts';
import { describe } from './operation.ts';
import { fixedAnswer, jsonType } from '../http/fixed-answer.ts';
import { openApiDocument, type DescribedRoute, type OpenApiDocument } from './openapi-document.ts';

/** Methods that need no description: HEAD answers like GET, and OPTIONS is for browsers. */
const undescribed = new Set(['HEAD', 'OPTIONS']);

/**
 * Collects the routes that are added from now on. Returns a function that makes their description when it is first called.
 * Adding a route below `prefix` without a description throws; outside it, only described routes are collected.
 */
export function describeRoutes(
  server: ApiServer,
  about: { prefix: string; siteUrl: () => string; cookieName: string },
): () => OpenApiDocument {
  const { prefix, siteUrl, cookieName } = about;
  const routes: DescribedRoute[] = [];
  server.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${prefix}/`)) routes.push(...describedRoutes(route, prefix));
    else if (isDescribed(route.schema)) routes.push(...describedRoutes(route, ''));
  });
  let made: OpenApiDocument | undefined;
  return () => (made ??= openApiDocument(routes, { siteUrl: siteUrl(), prefix, cookieName }));
}

function describedRoutes({ method, url, schema }: RouteOptions, prefix: string): DescribedRoute[] {
  const methods = [method].flat().filter((name) => !undescribed.has(name));
  return methods.map((name) => {
    if (!isDescribed(schema)) throw new Error(`${name} ${url} needs a schema from describe()`);
    const path = url.slice(prefix.length).replaceAll(/:(\w+)/g, '{$1}');
    return { method: name, path, schema, isOutside: prefix === '' };
  });
}

function isDescribed(schema: FastifySchema | undefined): schema is DescribedRoute['schema'] {
  return schema?.operationId !== undefined && schema.response !== undefined;
}

const { getOpenApi } = describe(
  { tag: 'Description', isExtension: true },
  {
    getOpenApi: {
      summary: 'Get the description of the API',
      description: 'What this page shows, as an OpenAPI 3.1 document.',
      // Sends the cached bytes unchanged.
      response: { 200: Type.Unsafe<Buffer>({ type: 'object', description: 'OpenAPI 3.1.' }) },
      answer: 'The document.',
      isOpen: true,
      failures: { 429: null },
    },
  },
);

/** Adds the route of the description. It needs no key: generators fetch it. */
export function openApiRoutes(server: ApiServer, description: () => OpenApiDocument): void {
  const answer = fixedAnswer(jsonType, () => JSON.stringify(description()));
  server.get('/openapi.json', { ...getOpenApi, config: { isForEverybody: true } }, answer);
}
