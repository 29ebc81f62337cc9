/** fastify with this API's validation, parsers, errors and limits. */

import { parse as parseQuery } from 'node:querystring';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import { fastify } from 'fastify';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { Log } from '../../base/log.ts';
import {
  answerLargeBodies,
  defaultConnectionLimits,
  maxBodyBytes,
  maxOpenBodyBytes,
} from './limits/connections.ts';
import type { ConnectionLimits } from './limits/connections.ts';
import { answerErrors, answerUnknownPath, type UnknownPage } from './errors.ts';
import { acceptJsonOnly } from './body.ts';
import { limitLargeBodies } from './limits/large-bodies.ts';
import { compressAnswers } from './compression.ts';
import { addSecurityHeaders, requireHost, securityHeaders } from './headers.ts';
import { createHttpServer, type HttpServerParts } from './http-server.ts';
import type { ClientsParts } from './limits/clients.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import { readIdempotencyKey } from './repeatable.ts';
import { compileAnswer } from './serialization.ts';
import { compileSchema } from './validation.ts';

/** A fastify whose handlers are typed by the schemas of their routes. */
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
  clients?: ClientsParts;
  /** Shows people an address that is unknown. */
  unknownPage?: UnknownPage;
  limits?: Partial<ConnectionLimits>;
}

const ofPeers: ClientsParts = { trustedProxies: [], onUntrustedProxy: () => {} };

/** Creates the server without routes. */
export function createFastify(parts: FastifyParts): ApiServer {
  const { log, requests, isLeftToRoutes = () => false, clients = ofPeers } = parts;
  const limits = { ...defaultConnectionLimits, ...parts.limits };
  const server = fastify({
    serverFactory: (handler) =>
      createHttpServer(handler, { limits, requests, isLeftToRoutes, ...clients, log }),
    bodyLimit: maxBodyBytes,
    forceCloseConnections: 'idle',
    // The store stays open until the server has stopped, so requests that have arrived are answered.
    return503OnClosing: false,
    // Errors are handled in limits/client-errors.ts; fastify's handler would run first.
    clientErrorHandler: () => {},
    // For paths that cannot be decoded, and ids over maxParamLength.
    frameworkErrors: (_, request, reply) => {
      void answerUnknownPath(requests)(request, reply.headers(securityHeaders));
    },
    // What is not UTF-8 is replaced, character by character; fastify's parser would leave the whole value encoded.
    routerOptions: { maxParamLength: 500, querystringParser: (text) => parseQuery(text) },
  }).withTypeProvider<TypeBoxTypeProvider>();
  server.setValidatorCompiler(compileSchema);
  server.setSerializerCompiler(compileAnswer);
  server.addHook('onRoute', (route) => {
    if (route.schema?.isOpen && route.schema.body) route.bodyLimit = maxOpenBodyBytes;
  });
  addSecurityHeaders(server);
  answerLargeBodies(server);
  compressAnswers(server);
  requireHost(server);
  limitLargeBodies(server, requests);
  acceptJsonOnly(server);
  server.addHook('preValidation', readIdempotencyKey);
  answerErrors(server, log, requests, parts.unknownPage);
  return server;
}
