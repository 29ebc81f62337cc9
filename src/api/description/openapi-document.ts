/** The published description of the API: OpenAPI 3.1, made from the schemas of the routes. */

import type { FastifySchema } from 'fastify';
import type { TSchema } from 'typebox';
import { publish } from './components.ts';
import type { Schema } from './components.ts';
import { ErrorBody, PageQuery } from '../contract.ts';
import { headerName } from '../http/schema.ts';
import { overview } from './overview.ts';
import { commonFailures, refusalOf, tags } from './operation.ts';
import type { Failure, OperationNotes, Refusal } from './operation.ts';

/** Version of the interface, not of this program (docs/behavior.md#api-8). */
const interfaceVersion = '1.1.0';

export interface OpenApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: object };
  servers: { url: string }[];
  security: object[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; securitySchemes: object };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, Answer>;
  /** Empty for an operation that asks for no key. */
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
  headers?: Record<string, { description: string; required: boolean; schema: Schema }>;
  content: Content;
}

type Content = Record<string, { schema: Schema; example?: unknown }>;

/** A route, its path as OpenAPI writes it and below the base URL. */
export interface DescribedRoute {
  method: string;
  path: string;
  schema: FastifySchema & { operation: OperationNotes };
}

/** Describes the routes; `apiUrl` is the base of all paths. */
export function openApiDocument(routes: DescribedRoute[], apiUrl: string): OpenApiDocument {
  const components = new Map<string, Schema>();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of routes.toSorted(byTag)) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = operationOf(route, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'jobd',
      version: interfaceVersion,
      description: overview,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: apiUrl }],
    security: [{ key: [] }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries(
        [...components].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      ),
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of one workspace: `cp_` and 64 hexadecimal digits.',
        },
      },
    },
  };
}

/** In the order of the tags; within one, in the order of registration. */
function byTag(one: DescribedRoute, other: DescribedRoute): number {
  const order = Object.keys(tags);
  return order.indexOf(one.schema.operation.tag) - order.indexOf(other.schema.operation.tag);
}

function operationOf({ schema }: DescribedRoute, components: Map<string, Schema>): Operation {
  const { operationId, tag, summary, description, isOpen, isExtension } = schema.operation;
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
    ...(schema.body !== undefined && {
      requestBody: { required: true, content: contentOf(schema.body as TSchema, components) },
    }),
    responses: { ...successes(schema, components), ...refusals(schema, components) },
    ...(isOpen && { security: [] }),
    ...(isExtension && { 'x-extension': true }),
  };
}

function parametersIn(
  where: Parameter['in'],
  group: unknown,
  components: Map<string, Schema>,
): Parameter[] {
  if (group === undefined) return [];
  const { properties = {}, required = [] } = publish(group as TSchema, components);
  return Object.entries(properties).map(([name, field]) =>
    parameterOf(where, name, required.includes(name), field),
  );
}

function parameterOf(
  where: Parameter['in'],
  name: string,
  required: boolean,
  { description = '', examples, ...schema }: Schema,
): Parameter {
  const example = examples?.[0];
  return {
    name: where === 'header' ? headerName(name) : name,
    in: where,
    required,
    description,
    schema,
    ...(example !== undefined && { example }),
  };
}

function contentOf(
  schema: TSchema,
  components: Map<string, Schema>,
  example: unknown = (schema as Schema).examples?.[0],
): Content {
  const published = publish(schema, components);
  return {
    'application/json': { schema: published, ...(example !== undefined && { example }) },
  };
}

function successes(
  { response, operation }: DescribedRoute['schema'],
  components: Map<string, Schema>,
): Record<string, Answer> {
  const { answer, answerExample, answerHeaders = {} } = operation;
  const headers = Object.fromEntries(
    Object.entries(answerHeaders).map(([name, says]) => [name, header(says, 'string')]),
  );
  return Object.fromEntries(
    Object.entries(response as Record<string, TSchema>).map(([status, schema]) => [
      status,
      {
        description: answer,
        ...(Object.keys(headers).length > 0 && { headers }),
        content: contentOf(schema, components, answerExample),
      },
    ]),
  );
}

function refusals(
  { operation, querystring }: DescribedRoute['schema'],
  components: Map<string, Schema>,
): Record<string, Answer> {
  const isOpen = operation.isOpen === true;
  const common = commonFailures({ isOpen, isList: querystring === PageQuery });
  const all = Object.entries({ ...common, ...operation.failures });
  return Object.fromEntries(
    all.map(([name, said]) => {
      const status = Number(name) as Failure;
      return [name, answerOf(status, refusalOf(status, said), components)];
    }),
  );
}

function answerOf(
  status: Failure,
  { when: description, example }: Refusal,
  components: Map<string, Schema>,
): Answer {
  const content = { schema: publish(ErrorBody, components), example: { error: example } };
  return {
    description,
    ...(status === 401 && { headers: { 'WWW-Authenticate': header('`Bearer`.', 'string') } }),
    ...(status === 429 && {
      headers: { 'Retry-After': header('Seconds to wait before trying again: 60.', 'integer') },
    }),
    content: { 'application/json': content },
  };
}

function header(description: string, type: string) {
  return { description, required: true, schema: { type } };
}
