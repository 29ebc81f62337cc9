/**
 * Validation of requests: types are strict in bodies and parsed in query strings. The first broken rule becomes a
 * sentence that names the field, the rule and the value.
 */

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { brokenRule, type FieldRule } from '../../domain/fields.ts';
import { meantField } from '../../domain/meant.ts';
import { isId } from '../../domain/id.ts';
import { dropNulls } from './nulls.ts';
import { wholeNumberParser } from './query.ts';
import { headerName } from './schema.ts';

/** Fields whose values may be secret and are never repeated. */
const secretFields = new Set(['body', 'headers', 'config', 'key', 'code']);

const ajv = new Ajv({ verbose: true, strict: true, allowUnionTypes: true })
  .removeKeyword('format')
  .addKeyword({ keyword: 'format', type: 'string', validate: readFormat });

/** Compiles a schema for fastify when it is first needed: all of them would be most of a start. */
export const compileSchema: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined;
  const parseWholeNumbers = httpPart === 'querystring' ? wholeNumberParser(schema) : () => {};
  return (value: Record<string, unknown>) => {
    validate ??= ajv.compile(schema);
    parseWholeNumbers(value);
    if (httpPart === 'body') dropNulls(schema, value);
    return validate(value) ? { value } : { error: validate.errors ?? [] };
  };
};

/** Formats are checked in the domain. Only an id is changed here: it may come in upper case (RFC 9562 section 4). */
function readFormat(format: string, text: string, _: unknown, place?: DataValidationCxt): boolean {
  const id = text.toLowerCase();
  if (format === 'uuid' && place !== undefined && isId(id)) {
    place.parentData[place.parentDataProperty] = id;
  }
  return true;
}

type ObjectSchema = { properties?: object; additionalProperties?: boolean };

/** The sentence for a broken rule. `part` is what fastify validated: body, querystring, … */
export function sentenceFor(error: ErrorObject, part: string): string {
  const field = fieldOf(error, part);
  const { keyword, params } = error;
  switch (keyword) {
    case 'required':
    case 'additionalProperties': {
      // What is missing may be there by a wrong name.
      const unknown = params['additionalProperty'] ?? unknownIn(error);
      if (unknown !== undefined) return unknownField(error, String(unknown), part);
      return `${inside(field, params['missingProperty'], part)} is required`;
    }
    case 'type':
      return `${field} must be ${article(String(params['type']).split(','))}, got ${gotOf(error, part)}`;
    case 'minItems':
      return `${field} must not be empty`;
    default: {
      const problem = brokenRule(error.parentSchema as FieldRule, error.data, gotOf(error, part));
      return `${field} ${problem ?? error.message ?? 'is not valid'}`;
    }
  }
}

/** `/headers/x-token` in the body is `headers.x-token`; the body as a whole is `the body`. */
function fieldOf({ instancePath }: ErrorObject, part: string): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (path.length === 0) return wholeOf(part);
  return part === 'headers' ? headerName(path.join('.')) : path.join('.');
}

function wholeOf(part: string): string {
  return { body: 'the body', querystring: 'the query', headers: 'the headers' }[part] ?? part;
}

function inside(field: string, name: unknown, part: string): string {
  return field === wholeOf(part) ? String(name) : `${field}.${String(name)}`;
}

/** The first field that is in an object and not in its schema, if that takes no other. */
function unknownIn({ parentSchema, data }: ErrorObject): string | undefined {
  const { additionalProperties, properties = {} } = parentSchema as ObjectSchema;
  if (additionalProperties !== false) return undefined;
  return Object.keys(data as object).find((name) => !Object.hasOwn(properties, name));
}

function unknownField(error: ErrorObject, unknown: string, part: string): string {
  const known = Object.keys((error.parentSchema as ObjectSchema).properties ?? {});
  const what = part === 'querystring' ? 'query parameter' : 'field';
  const name = inside(fieldOf(error, part), unknown, part).slice(0, 60);
  if (isEnvelope(error, known)) return `${name} is not a known field: send what is inside ${name}`;
  const meant = meantField(unknown, known);
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`;
  return `${name} is not a known ${what}, ${hint}`;
}

/** Answers have an envelope, as in `{ job: { … } }`; requests have none. */
function isEnvelope({ data, instancePath }: ErrorObject, known: readonly string[]): boolean {
  if (instancePath !== '' || typeof data !== 'object' || data === null) return false;
  const [inner, ...others] = Object.values(data) as unknown[];
  if (others.length > 0 || typeof inner !== 'object' || inner === null) return false;
  return known.some((name) => Object.hasOwn(inner, name));
}

function article(types: string[]): string {
  return types
    .map((type) => (type === 'null' ? type : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`))
    .join(' or ');
}

function gotOf({ data, instancePath }: ErrorObject, part: string): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'an array';
  if (typeof data === 'object') return 'an object';
  if (data === undefined) return 'nothing';
  const isSecret = instancePath.split('/').some((step) => secretFields.has(step));
  if (part === 'headers' || isSecret) return `a ${typeof data}`;
  const text = JSON.stringify(data);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
