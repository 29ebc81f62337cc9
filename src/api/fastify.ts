/** A fastify that validates, parses and fails as this API does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Log } from '../log.ts';
import { createClientErrors } from './edge/client-errors.ts';
import { defaultConnectionLimits, guardConnections, httpOptions } from './edge/connections.ts';
import type { ConnectionLimits } from './edge/connections.ts';
import { answerErrors, answerUnknownPath } from './errors.ts';
import { requireHost } from './edge/host.ts';
import { acceptJsonOnly } from './edge/json.ts';
import { addSecurityHeaders, securityHeaders } from './edge/security.ts';
import { schemaCompiler } from './validation.ts';

/** A fastify whose handlers are typed by the contract. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** Makes it, without routes. */
export function createFastify(log: Log, limits: Partial<ConnectionLimits> = {}): ApiServer {
  const allLimits = { ...defaultConnectionLimits, ...limits };
  const clientErrors = createClientErrors();
  const server = fastify({
    ...httpOptions(allLimits),
    forceCloseConnections: 'idle',
    // While it stops, the store is still open: what arrived is answered.
    return503OnClosing: false,
    clientErrorHandler: clientErrors.handle,
    // Paths that cannot be decoded, or whose ids are too long to be any.
    frameworkErrors: (_, request, reply) => {
      answerUnknownPath(request, reply.headers(securityHeaders));
    },
    routerOptions: { maxParamLength: 500 },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(schemaCompiler());
  clientErrors.watch(server.server);
  addSecurityHeaders(server);
  guardConnections(server, allLimits);
  requireHost(server);
  acceptJsonOnly(server);
  answerErrors(server, log);
  return server;
}
