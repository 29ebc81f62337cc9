/** Long texts are compressed for clients that can read that: lists, the description of the API, the pages and what they load. */

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance, FastifyReply } from 'fastify';

const compress = promisify(gzip);

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
  const kept = new WeakMap<Uint8Array, Promise<Buffer>>();
  const compressed = async (payload: string | Uint8Array): Promise<Buffer> => {
    if (typeof payload === 'string') return await compress(payload);
    const known = kept.get(payload) ?? compress(payload);
    kept.set(payload, known);
    return await known;
  };
  server.addHook('onSend', async (request, reply, payload: unknown) => {
    if (!isLongText(payload, reply)) return payload;
    noteVariants(reply);
    if (!readsGzip(request.headers['accept-encoding'])) return payload;
    reply.header('content-encoding', 'gzip');
    // The same text in other bytes (RFC 9110 section 8.8.1).
    const etag = reply.getHeader('etag');
    if (typeof etag === 'string') reply.header('etag', `W/${etag}`);
    return await compressed(payload);
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
