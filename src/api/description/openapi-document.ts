/** The API description: OpenAPI 3.1, generated from the schemas of the routes. */

import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { ErrorBody } from '../http/contract.ts';
import { withNulls } from '../http/nulls.ts';
import { headerName } from '../http/schema.ts';
import { failureHeaders, header, sharedHeaders, successHeaders } from './answer-headers.ts';
import type { DescribedHeader, Headers } from './answer-headers.ts';
import { publish, type Schema } from './components.ts';
import { tags, usualFailures, type OperationNotes, type Refusal } from './operation.ts';
import { overview } from './overview.ts';

/** The version of the interface, not of this program (docs/behavior.md#api-8). */
const interfaceVersion = '1.1.0';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: object };
  servers: { url: string }[];
  security: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, DescribedHeader>;
    securitySchemes: object;
  };
}

export interface Operation {
  /** For an operation outside the API. */
  servers?: { url: string }[];
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { description?: string; required: boolean; content: Content };
  responses: Record<string, Answer>;
  /** Empty for an operation that needs no key. */
  security?: object[];
  'x-extension'?: true;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
  example?: unknown;
}

export interface Answer {
  description: string;
  headers?: Headers;
  content: Content;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

/** A route; `path` has its parameters as OpenAPI writes them. */
export interface DescribedRoute {
  method: string;
  /** Relative to the URL of the API; of the site if the route is outside the API. */
  path: string;
  isOutside: boolean;
  schema: FastifySchema & OperationNotes;
}

type Components = Map<string, Schema>;

/** Where things are: the API is at `prefix` of the site. */
export interface Site {
  siteUrl: string;
  prefix: string;
  cookieName: string;
}

/** Describes the routes. */
export function openApiDocument(
  routes: DescribedRoute[],
  { siteUrl, prefix, cookieName }: Site,
): OpenApiDocument {
  const components: Components = new Map();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes.toSorted(byTag)) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = {
      ...(route.isOutside && { servers: [{ url: siteUrl }] }),
      ...operationOf(route, components),
    };
  }
  const schemas = [...components].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: {
      title: 'jobd',
      version: interfaceVersion,
      description: overview,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${siteUrl}${prefix}` }],
    security: [{ key: [] }, { session: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      headers: sharedHeaders,
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of one workspace: `cp_` and 64 hexadecimal digits.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: cookieName,
          description:
            'The session of a browser, which `POST /session` starts. Requests other than GET also need the header ' +
            '`X-Jobd-Workspace` with the id of its workspace.',
        },
      },
    },
  };
}

/** By tag, then in the order of registration. */
function byTag(one: DescribedRoute, other: DescribedRoute): number {
  const order = Object.keys(tags);
  return order.indexOf(one.schema.tag) - order.indexOf(other.schema.tag);
}

function operationOf(route: DescribedRoute, components: Components): Operation {
  const { schema } = route;
  const { operationId, tag, summary, description, body, textBody, isOpen, isExtension } = schema;
  const parameters = [
    ...parametersIn('path', schema.params, components),
    ...parametersIn('query', schema.querystring, components),
    ...parametersIn('header', schema.headers, components),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && {
      requestBody: { required: true, content: contentOf(withNulls(body as TSchema), components) },
    }),
    ...(textBody !== undefined && { requestBody: textBodyOf(textBody) }),
    responses: { ...successes(schema, components), ...failures(route, components) },
    ...(isOpen && { security: [] }),
    ...(isExtension && { 'x-extension': true }),
  };
}

function parametersIn(where: Parameter['in'], group: unknown, components: Components): Parameter[] {
  if (group === undefined) return [];
  const { properties = {}, required = [] } = publish(group as TSchema, components);
  return Object.entries(properties).map(([name, { description = '', examples, ...schema }]) => ({
    name: where === 'header' ? headerName(name) : name,
    in: where,
    required: required.includes(name),
    description,
    schema,
    example: examples?.[0],
  }));
}

function textBodyOf({ description, example }: NonNullable<OperationNotes['textBody']>) {
  const content = { 'text/plain': { schema: { type: 'string' }, example } };
  return { description, required: false, content };
}

function contentOf(
  schema: TSchema,
  components: Components,
  example: unknown = (schema as Schema).examples?.[0],
  type = 'application/json',
): Content {
  const published = publish(schema, components);
  return { [type]: { schema: published, ...(example !== undefined && { example }) } };
}

function successes(
  { response, answer, isOpen, ...notes }: DescribedRoute['schema'],
  components: Components,
): Record<string, Answer> {
  const { answerType, answerExample, answerHeaders = {} } = notes;
  const own = Object.entries(answerHeaders).map(([name, contains]) => [name, header(contains)]);
  return Object.fromEntries(
    Object.entries(response as Record<string, TSchema>).map(([status, schema]) => [
      status,
      {
        description: answer,
        ...withHeaders({ ...successHeaders(status, isOpen === true), ...Object.fromEntries(own) }),
        content: contentOf(schema, components, answerExample, answerType),
      },
    ]),
  );
}

function withHeaders(headers: Headers): { headers?: Headers } {
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function failures(
  { method, schema }: DescribedRoute,
  components: Components,
): Record<string, Answer> {
  const kind = { isChange: method !== 'GET', isList: hasCursor(schema.querystring) };
  const usual: Record<string, Refusal> = usualFailures(schema, kind);
  const own = Object.entries(schema.failures ?? {}).map(([status, refusal]) => [
    status,
    typeof refusal === 'string' ? { ...usual[status], when: refusal } : refusal,
  ]);
  const all: Record<string, Refusal | null> = { ...usual, ...Object.fromEntries(own) };
  const answers: Record<string, Answer> = {};
  for (const [status, refusal] of Object.entries(all)) {
    if (refusal === null) continue;
    const { when: description, example } = refusal;
    const headers = withHeaders(failureHeaders(status));
    const content = contentOf(ErrorBody, components, { error: example });
    answers[status] = { description, ...headers, content };
  }
  return answers;
}

/** Whether a query has the fields of a page. */
function hasCursor(querystring: unknown): boolean {
  const { properties } = (querystring ?? {}) as { properties?: object };
  return properties !== undefined && 'cursor' in properties;
}
