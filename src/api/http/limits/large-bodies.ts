/** Large bodies: each takes memory while it arrives and the thread of the scheduler once it has, so a workspace sends a few at a time. */

import type { FastifyInstance } from 'fastify';
import { overLimit } from '../../../domain/errors.ts';
import { declaredBytes, maxOpenBodyBytes } from './connections.ts';

/** Requests with bodies that may be larger than those of strangers, from their head to the end of their answer. */
const mostAtOnce = 4;

const tooManyAtOnce = overLimit(
  `a workspace may send ${mostAtOnce} bodies of over ${maxOpenBodyBytes / 1024} KiB at a time`,
  1_000,
);

/** Refuses those that are too many, before their bodies are read. */
export function limitLargeBodies(server: FastifyInstance): void {
  const sending = new Map<string, number>();
  server.addHook('preParsing', ({ raw, principal }, reply, payload, done) => {
    const isPerhapsLarge =
      'transfer-encoding' in raw.headers || declaredBytes(raw) > maxOpenBodyBytes;
    if (!isPerhapsLarge || principal === undefined) return done(null, payload);
    const { workspaceId } = principal;
    const before = sending.get(workspaceId) ?? 0;
    if (before >= mostAtOnce) return done(tooManyAtOnce);
    sending.set(workspaceId, before + 1);
    reply.raw.once('close', () => {
      const left = (sending.get(workspaceId) ?? 1) - 1;
      if (left > 0) sending.set(workspaceId, left);
      else sending.delete(workspaceId);
    });
    return done(null, payload);
  });
}
