/** Large bodies: each takes memory while it arrives and the thread of the scheduler once it has, so a workspace sends a few at a time. */

import type { FastifyInstance } from 'fastify';
import { overLimit } from '../../../domain/errors.ts';
import { tally } from '../../../domain/tally.ts';
import { maxOpenBodyBytes, mayExceed } from './connections.ts';

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
    if (principal === undefined || !mayExceed(maxOpenBodyBytes, raw)) return done(null, payload);
    const { workspaceId } = principal;
    if ((sending.get(workspaceId) ?? 0) >= mostAtOnce) return done(tooManyAtOnce);
    tally(sending, workspaceId, 1);
    reply.raw.once('close', () => tally(sending, workspaceId, -1));
    return done(null, payload);
  });
}
