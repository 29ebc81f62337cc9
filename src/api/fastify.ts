/** A fastify that validates, parses and fails as this API does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Log } from '../log.ts';
import { answerErrors, answerUnknownPath } from './errors.ts';
import { schemaCompiler } from './validation.ts';

/** A fastify whose handlers are typed by the contract. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** HTTP bodies over this are refused; the largest valid one is a job with a body of 32 KiB. */
const largestBodyBytes = 256 * 1024;

/** Makes it, without routes. */
export function createFastify(log: Log): ApiServer {
  const server = fastify({
    bodyLimit: largestBodyBytes,
    forceCloseConnections: 'idle',
    // Paths that cannot be decoded, or whose ids are too long to be any.
    frameworkErrors: (_, request, reply) => void answerUnknownPath(request, reply),
    routerOptions: { maxParamLength: 500 },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(schemaCompiler());
  acceptJsonOnly(server);
  answerErrors(server, log);
  return server;
}

/** Clients say `application/json` also where they send nothing, as when they ask for a run. */
function acceptJsonOnly(server: ApiServer): void {
  server.removeContentTypeParser('text/plain');
  const parse = server.getDefaultJsonParser('error', 'error');
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (request, body: string, done) => {
      if (body === '') done(null, undefined);
      else void parse(request, body, done);
    },
  );
}
