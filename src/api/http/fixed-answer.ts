/** Public texts that are the same for everybody, kept as bytes: making or encoding one for each answer would take time and memory. */

import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noteVariants } from './compression.ts';

export const jsonType = 'application/json; charset=utf-8';

/** As characters, or in UTF-8. */
type Text = string | Uint8Array;

/** Creates a handler that answers 304 if the client has the text already. `make` is called once. */
export function fixedAnswer(
  type: string,
  make: () => Text | Promise<Text>,
  cacheControl = 'no-cache',
) {
  const once = {};
  return answerFrom({ type, cacheControl, find: () => once, make });
}

/** The same of a text that is made again when `find` returns another object than before. */
export function answerFrom<Facts extends object>({
  type,
  cacheControl,
  find,
  make,
}: {
  type: string;
  cacheControl: string;
  find: () => Facts | Promise<Facts>;
  make: (facts: Facts) => Text | Promise<Text>;
}) {
  let kept: { facts: Facts; bytes: Buffer; etag: string } | undefined;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const facts = await find();
    if (kept?.facts !== facts) {
      const text = await make(facts);
      kept = { facts, bytes: Buffer.from(text), etag: `"${hash('sha256', text, 'base64url')}"` };
    }
    const { bytes, etag } = kept;
    reply.headers({ etag, 'cache-control': cacheControl });
    noteVariants(reply);
    // Waits until it is sent: a handler that returns nothing before that sends it again.
    if (request.headers['if-none-match']?.includes(etag)) await reply.code(304).send();
    else await reply.type(type).send(bytes);
  };
}
