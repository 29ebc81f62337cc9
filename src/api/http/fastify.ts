/** A fastify that validates, parses and fails as this API does. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Log } from '../../log.ts';
import { answerLargeBodies, defaultConnectionLimits, maxBodyBytes } from './limits/connections.ts';
import type { ConnectionLimits } from './limits/connections.ts';
import { answerErrors, answerUnknownPath } from './errors.ts';
import { requireHost } from './host.ts';
import { createHttpServer } from './http-server.ts';
import type { HttpServerParts } from './http-server.ts';
import { acceptJsonOnly } from './json.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import { addSecurityHeaders, securityHeaders } from './security.ts';
import { schemaCompiler } from './validation.ts';

/** A fastify whose handlers are typed by the contract. */
export type ApiServer = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface FastifyParts {
  log: Log;
  requests: RequestLimits;
  isLeftToRoutes?: HttpServerParts['isLeftToRoutes'];
  /** Other limits than the default ones. */
  limits?: Partial<ConnectionLimits>;
}

/** Makes it, without routes. */
export function createFastify(parts: FastifyParts): ApiServer {
  const { log, requests, isLeftToRoutes = () => false } = parts;
  const limits = { ...defaultConnectionLimits, ...parts.limits };
  const server = fastify({
    serverFactory: (handler) =>
      createHttpServer(handler, { limits, requests, isLeftToRoutes, log }),
    bodyLimit: maxBodyBytes,
    forceCloseConnections: 'idle',
    // While it stops, the store is still open: what arrived is answered.
    return503OnClosing: false,
    // The server has its own, which fastify's would come before.
    clientErrorHandler: () => {},
    // Paths that cannot be decoded, or whose ids are too long to be any.
    frameworkErrors: (_, request, reply) => {
      answerUnknownPath(requests)(request, reply.headers(securityHeaders));
    },
    routerOptions: { maxParamLength: 500 },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(schemaCompiler());
  addSecurityHeaders(server);
  answerLargeBodies(server);
  requireHost(server);
  acceptJsonOnly(server);
  answerErrors(server, log, requests);
  return server;
}
