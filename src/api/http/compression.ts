/** Long texts are compressed for clients that can read that: lists, the description of the API, the pages and what they load. */

import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

/** Shorter texts gain less than the work is worth. */
const shortest = 2_048;
const texts = /^(?:text\/|application\/json|image\/svg)/;

/** Whether a client that sent this Accept-Encoding can read gzip (RFC 9110 section 12.5.3). */
export function readsGzip(accepted: string | undefined): boolean {
  const weights = new Map(
    (accepted ?? '').split(',').map((item) => {
      const [name = '', ...parameters] = item.toLowerCase().split(';');
      const weight = parameters.map((one) => /^\s*q=(.*)$/.exec(one)?.[1]);
      return [name.trim(), Number(weight[0] ?? 1)];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}

/** Compresses long texts, in Node's thread pool. Bytes are those of a fixed answer: they are compressed once. */
export function compressAnswers(server: FastifyInstance): void {
  const kept = new WeakMap<Uint8Array, Buffer>();
  server.addHook('onSend', (request, reply, payload: unknown, done) => {
    if (!isLongText(payload, reply)) return done(null, payload);
    noteVariants(reply);
    if (!readsGzip(request.headers['accept-encoding'])) return done(null, payload);
    reply.header('content-encoding', 'gzip');
    // The same text in other bytes (RFC 9110 section 8.8.1).
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string') reply.header('etag', `W/${etag}`);
    const known = typeof payload === 'string' ? undefined : kept.get(payload);
    if (known !== undefined) return done(null, known);
    gzip(payload, (error, bytes) => {
      if (error !== null) return done(error);
      if (typeof payload !== 'string') kept.set(payload, bytes);
      done(null, bytes);
    });
  });
}

/** Says that the answer depends on what the client can read, once. */
export function noteVariants(reply: FastifyReply): void {
  const others = [reply.getHeader('vary') ?? []].flat();
  if (!String(others).includes('Accept-Encoding')) {
    reply.header('vary', [...others, 'Accept-Encoding'].join(', '));
  }
}

function isLongText(payload: unknown, reply: FastifyReply): payload is string | Uint8Array {
  if (typeof payload !== 'string' && !(payload instanceof Uint8Array)) return false;
  const type = reply.getHeader('content-type');
  return payload.length >= shortest && typeof type === 'string' && texts.test(type);
}
