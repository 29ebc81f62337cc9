/**
 * Checks responses against the published description of the API: the status is documented for the
 * operation, its headers are present, the body (of a stream: an event) is valid and has only described fields. Other paths
 * are answered `{ error }`. Every response that `ask` of daemon.ts gets is checked.
 */

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  refPrefix,
  sharedHeaders,
  type DescribedHeader,
  type Header,
} from '../../../src/api/description/answer-headers.ts';
import type { OpenApiDocument, Operation } from '../../../src/api/description/openapi-document.ts';
import { publishedDescription } from './description.ts';

/** The request: its path in the API, or outside it, with or without what is before and its query. */
export interface Asked {
  method: string;
  url: string;
}

export interface Got {
  status: number;
  headers: { get: (name: string) => string | null };
  body: unknown;
}

type Conformance = (asked: Asked, got: Got) => void;

/** Makes the check for a description. It throws an AssertionError that names request and error. */
function conformanceTo(description: OpenApiDocument): Conformance {
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  addFormats.default(ajv);
  ajv.addSchema(closed(description), 'api');

  const assertValid = (pointer: string, body: unknown, what: string): void => {
    const validate = ajv.getSchema(`api#${pointer}`);
    assert.ok(validate, `nothing is described at ${pointer}`);
    assert.ok(
      validate(body),
      `${what}: ${ajv.errorsText(validate.errors, { dataVar: 'body' })}, got ${JSON.stringify(body)?.slice(0, 500)}`,
    );
  };

  return ({ method, url }, got) => {
    const path = pathOf(url);
    const what = `${method} ${path} answered ${got.status}`;
    const type = got.headers.get('content-type') ?? 'no type';
    const mediaType = type.replace(/;.*/, '');
    const found = findOperation(description, method, path);
    if (found === undefined) {
      assert.equal(mediaType, 'application/json', `${what} with ${type}`);
      assert.ok(got.status >= 400 && got.status < 500, `${what}, which is no operation`);
      assertValid('/components/schemas/ErrorBody', got.body, what);
      return;
    }
    const answer = found.operation.responses[String(got.status)];
    assert.ok(answer, `${what}, which is not documented: ${JSON.stringify(got.body)}`);
    for (const [name, header] of Object.entries(answer.headers ?? {})) {
      const { required } = resolved(header);
      assert.ok(!required || got.headers.get(name) !== null, `${what} without ${name}`);
    }
    assert.deepEqual(Object.keys(answer.content), [mediaType], `${what} with ${type}`);
    const steps = ['responses', String(got.status), 'content', mediaType, 'schema'];
    assertValid([found.pointer, ...steps.map(pointerStep)].join('/'), got.body, what);
  };
}

/** Follows a reference, if it is one. */
function resolved(header: Header): DescribedHeader {
  if (!('$ref' in header)) return header;
  return sharedHeaders[header.$ref.slice(refPrefix.length) as keyof typeof sharedHeaders];
}

/** Whether a cookie was refused: the description has these failures in its introduction, and not in each operation. */
export function refusesCookie(answer: string): boolean {
  return /another site|its Host|X-Jobd-Workspace|another workspace, reload/.test(answer);
}

/** Checks against the description that this jobd publishes. */
export async function assertConforms(asked: Asked, got: Got): Promise<void> {
  published ??= publishedDescription().then(conformanceTo);
  (await published)(asked, got);
}

let published: Promise<Conformance> | undefined;

function pathOf(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^.*?\/api\/v1(?=\/)/, '');
}

function findOperation(
  { paths }: OpenApiDocument,
  method: string,
  asked: string,
): { operation: Operation; pointer: string } | undefined {
  const path = asked.replace(/^https?:\/\/[^/]*/, '');
  // A path without parameters goes before one with them (OpenAPI 3.1, Paths Object).
  const template =
    path in paths ? path : Object.keys(paths).find((known) => patternOf(known).test(path));
  const operation = paths[template ?? '']?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) return undefined;
  // What is still a whole URL is outside the API.
  if (asked !== path && operation.servers === undefined) return undefined;
  const steps = ['paths', template, method.toLowerCase()];
  return { operation, pointer: `/${steps.map(pointerStep).join('/')}` };
}

/** `/jobs/{id}` as a pattern. */
function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
}

/** A step of a JSON pointer in a URI fragment (RFC 6901 section 6). */
function pointerStep(name: string): string {
  return encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The same schema with closed objects: readers may ignore a new field, a test must not. */
function closed<T>(node: T): T {
  if (Array.isArray(node)) return node.map((item) => closed<unknown>(item)) as T;
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === 'examples' ? value : closed(value)]),
  );
  const isOpen = 'properties' in copy && copy['additionalProperties'] === undefined;
  return (isOpen ? { ...copy, additionalProperties: false } : copy) as T;
}
