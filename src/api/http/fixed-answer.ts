/**
 * Texts that everybody may ask for and that stay as they are while the server runs. They are made once and kept as
 * bytes: to make a copy for each answer costs time, and memory until a client has taken it.
 */

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Makes a handler; whoever has the text already gets 304. */
export function fixedAnswer(type: string, make: () => string | Promise<string>) {
  let bytes: Buffer | undefined;
  let etag = '';
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    if (bytes === undefined) {
      const text = await make();
      etag = `"${hash('sha256', text, 'base64url')}"`;
      bytes = Buffer.from(text);
    }
    reply.headers({ etag, 'cache-control': 'no-cache' });
    if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send();
    return reply.type(type).send(bytes);
  };
}
