/** Answers every failure with `{ error }` and the status of its code. */

import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { oneLine } from '../../domain/one-line.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Log } from '../../base/log.ts';
import { outageIn } from '../../base/outage.ts';
import type { RequestLimits } from './limits/request-limits.ts';
import { tooLarge, wrongType } from './body.ts';
import { sentenceFor } from './validation.ts';
import { pauseHeaders } from './limits/rate-headers.ts';

/** Handles errors of handlers and hooks, and unknown paths. */
export function answerErrors(
  server: FastifyInstance,
  log: Log,
  requests: RequestLimits,
  page?: UnknownPage,
): void {
  const outage = outageIn(log);
  server.setErrorHandler<FastifyError>((error, request, reply) => {
    if (error.name === 'AbortError' && reply.raw.destroyed) return reply.hijack();
    const known = errorFor(error, request);
    if (known.code === 'internal' || known.cause !== undefined) {
      const about = { method: request.method, url: urlWithoutSecret(request) };
      if (!outage.refuses(about, known)) {
        log.error({ err: error, ...about }, 'a request broke down');
      }
    }
    return sendError(reply, known.httpStatus < 500 ? counted(known, request, requests) : known);
  });
  server.setNotFoundHandler(answerUnknownPath(requests, page));
}

/** Answers a request of an unknown path with a page; null if whoever asks shows none. */
export type UnknownPage = (
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<FastifyReply> | null;

/** Creates the handler of unknown paths. */
export function answerUnknownPath(requests: RequestLimits, page: UnknownPage = () => null) {
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply | Promise<FastifyReply> => {
    const error = counted(unknownPath(request), request, requests);
    const shown = error.code === 'not_found' ? page(request, reply) : null;
    return shown ?? sendError(reply, error);
  };
}

/** A bad request counts for its address unless it has a valid key. Returns the refusal if that exceeds the limit. */
function counted(error: JobdError, { raw }: FastifyRequest, requests: RequestLimits): JobdError {
  try {
    requests.countAddress(raw);
    return error;
  } catch (refusal) {
    return refusal as JobdError;
  }
}

function sendError(reply: FastifyReply, error: JobdError): FastifyReply {
  if (error.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
  if (error.retryAfterSeconds !== undefined) {
    reply.header('retry-after', String(error.retryAfterSeconds));
  }
  if (error.waitSeconds !== undefined) {
    const limits = pauseHeaders(error.retryAfterSeconds ?? error.waitSeconds, error.waitSeconds);
    for (const [name, value] of Object.entries(limits)) {
      const others = reply.getHeader(name);
      reply.header(name, others === undefined ? value : `${String(others)}, ${value}`);
    }
  }
  // Messages repeat input. Its control characters could control a terminal.
  return reply.code(error.httpStatus).send({ error: oneLine(error.message) });
}

/** A long part may be a secret: the token of a report, or the id of a ping, in a path that was copied wrongly. */
function unknownPath(request: FastifyRequest): JobdError {
  const whole = request.url.split('?', 1)[0] ?? '';
  const path = whole.slice(0, 200).replaceAll(/[^/]{20,}/g, '…');
  return new JobdError('not_found', `there is nothing at ${request.method} ${path}`);
}

/** A ping id and the token of a report are secrets: they must not get into the log, however the URL was written. */
function urlWithoutSecret({ params, routeOptions, url }: FastifyRequest): string {
  const isObject = typeof params === 'object' && params !== null;
  const isSecret = isObject && ('pingId' in params || 'token' in params);
  return isSecret ? (routeOptions.url ?? '') : url;
}

/** Translates errors of fastify and of validation. */
function errorFor(error: FastifyError, request: FastifyRequest): JobdError {
  const { body, routeOptions, params } = request;
  if (error instanceof JobdError) {
    const lacksId = Object.values(params ?? {}).includes('');
    return lacksId && error.code === 'not_found' ? unknownPath(request) : error;
  }
  const broken = error.validation?.[0];
  if (broken !== undefined) {
    // fastify validates an empty body as null.
    if (partOf(error) === 'body' && body === undefined) {
      return new JobdError('invalid_input', 'the body must be an object, it is empty');
    }
    const sentence = sentenceFor(broken as Parameters<typeof sentenceFor>[0], partOf(error));
    return new JobdError('invalid_input', sentence);
  }
  if (error.statusCode === 413) return tooLarge(routeOptions.bodyLimit);
  if (error.statusCode === 415) {
    return wrongType();
  }
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    if (routeOptions.url === undefined) return unknownPath(request);
    return new JobdError('invalid_input', `the request is not valid: ${error.message}`);
  }
  return new JobdError('internal', 'something broke inside jobd, its log says more', {
    cause: error,
  });
}

function partOf(error: FastifyError): string {
  return error.validationContext ?? 'body';
}
