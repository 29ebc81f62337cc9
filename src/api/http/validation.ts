/**
 * Validation at the door: types are strict in bodies and parsed in query strings; the first rule that
 * is broken becomes one sentence that names the field, the rule and what came.
 */

import { Ajv } from 'ajv';
import type { ErrorObject } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { FastifySchemaCompiler } from 'fastify';
import type { TSchema } from 'typebox';
import { characterCount } from '../../domain/characters.ts';
import { isId } from '../../domain/id.ts';
import { wholeNumberParser } from './query.ts';
import { headerName } from './schema.ts';

/** Fields whose values may be secret: what came is not repeated. */
const secretFields = new Set(['body', 'headers', 'config']);

/** Makes the compiler that fastify asks for each schema of a route. */
export function schemaCompiler(): FastifySchemaCompiler<TSchema> {
  const ajv = new Ajv({ verbose: true, strict: true, allowUnionTypes: true });
  ajv.removeKeyword('format');
  ajv.addKeyword({ keyword: 'format', type: 'string', validate: readFormat });
  return ({ schema, httpPart }) => {
    const validate = ajv.compile(schema);
    if (httpPart !== 'querystring') return validate;
    const parseWholeNumbers = wholeNumberParser(schema);
    return (query: Record<string, unknown>) => {
      parseWholeNumbers(query);
      return validate(query) ? { value: query } : { error: validate.errors ?? [] };
    };
  };
}

/**
 * Formats tell readers of the contract something; what they demand is checked in the domain. But an id may come in upper
 * case (RFC 9562 section 4), and is read here as it is kept.
 */
function readFormat(format: string, text: string, _: unknown, place?: DataValidationCxt): boolean {
  const id = text.toLowerCase();
  if (format === 'uuid' && place !== undefined && isId(id)) {
    place.parentData[place.parentDataProperty] = id;
  }
  return true;
}

/** The sentence for a broken rule. `part` is what fastify was validating: body, querystring, … */
export function sentenceFor(error: ErrorObject, part: string): string {
  const field = fieldOf(error, part);
  const { keyword, params } = error;
  switch (keyword) {
    case 'required':
      return `${inside(field, params['missingProperty'], part)} is required`;
    case 'additionalProperties':
      return unknownField(error, inside(field, params['additionalProperty'], part), part);
    case 'type':
      return `${field} must be ${article(typeNames(params['type']))}, got ${gotOf(error, part)}`;
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String).join(', ');
      return `${field} must be one of ${allowed}, got ${gotOf(error, part)}`;
    }
    case 'minimum':
    case 'maximum':
      return `${field} must be between ${boundsOf(error)}, got ${gotOf(error, part)}`;
    case 'minLength':
      return `${field} must not be empty`;
    case 'maxItems':
      return `${field} must have at most ${params['limit']} entries, got ${(error.data as unknown[]).length}`;
    case 'maxLength':
      return `${field} must be at most ${params['limit']} characters, got ${characterCount(String(error.data))}`;
    default:
      return `${field} ${error.message ?? 'is not valid'}`;
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

function unknownField(error: ErrorObject, field: string, part: string): string {
  const known = Object.keys((error.parentSchema as { properties?: object }).properties ?? {});
  const what = part === 'querystring' ? 'query parameter' : 'field';
  const name = field.slice(0, 60);
  return isEnvelope(error, known)
    ? `${name} is not a known field: send what is inside ${name}`
    : `${name} is not a known ${what}, known are ${known.join(', ')}`;
}

/** Answers wrap what they show, as in `{ job: { … } }`; requests do not. */
function isEnvelope({ data, instancePath }: ErrorObject, known: readonly string[]): boolean {
  if (instancePath !== '' || typeof data !== 'object' || data === null) return false;
  const [inner, ...others] = Object.values(data) as unknown[];
  if (others.length > 0 || typeof inner !== 'object' || inner === null) return false;
  return known.some((name) => Object.hasOwn(inner, name));
}

function typeNames(type: unknown): string[] {
  return Array.isArray(type) ? (type as string[]) : String(type).split(',');
}

function article(types: string[]): string {
  return types
    .map((type) => (type === 'null' ? type : `${/^[aeio]/.test(type) ? 'an' : 'a'} ${type}`))
    .join(' or ');
}

function boundsOf(error: ErrorObject): string {
  const { minimum, maximum } = error.parentSchema as { minimum: number; maximum: number };
  return `${minimum} and ${maximum}`;
}

function gotOf({ data, instancePath }: ErrorObject, part: string): string {
  if (data === null) return 'null';
  if (Array.isArray(data)) return 'an array';
  if (typeof data === 'object') return 'an object';
  if (data === undefined) return 'nothing';
  const isSecret = instancePath.split('/').some((step) => secretFields.has(step));
  if (part === 'headers' || isSecret) {
    return `a ${typeof data}`;
  }
  const text = JSON.stringify(data);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
