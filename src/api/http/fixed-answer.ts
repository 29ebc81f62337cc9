/**
 * Public texts that do not change while the server runs. They are kept as bytes: encoding a copy for each answer would take
 * time, and memory until the client has read it.
 */

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** As characters, or in UTF-8. */
type Text = string | Uint8Array;

/** Creates a handler that answers 304 if the client has the text already. `make` is called once. */
export function fixedAnswer(type: string, make: () => Text | Promise<Text>) {
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
