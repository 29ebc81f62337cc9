/** Serialization of answers. Fields that a schema does not have are left out. */

import build from 'fast-json-stringify';
import type { AnySchema } from 'fast-json-stringify';
import type { FastifySerializerCompiler } from 'fastify/types/schema.js';

/** Compiles the schema of an answer for fastify. Like fastify's own, but at the first answer. */
export const compileAnswer: FastifySerializerCompiler<AnySchema> = ({ schema }) => {
  let serialize: ((answer: unknown) => string) | undefined;
  return (answer) => (serialize ??= build(schema))(answer);
};
