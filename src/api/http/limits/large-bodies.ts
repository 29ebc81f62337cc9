/**
 * Large bodies: each takes memory while it arrives and the thread of the scheduler once it has. So a workspace sends a few at a time, and
 * one with many values counts as several requests.
 */

import type { FastifyInstance } from 'fastify';
import { overLimit } from '../../../domain/errors.ts';
import { tally } from '../../../domain/tally.ts';
import { onceLeft } from '../left.ts';
import { maxOpenBodyBytes, mayExceed } from './connections.ts';
import { countItems, type RequestLimits } from './request-limits.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** How many values its JSON has. */
    bodyValues: number;
  }
}

/** Requests with bodies that may be larger than those of strangers, from their head to the end of their answer. */
const mostAtOnce = 4;
/** With short names they take a millisecond or two. */
const valuesPerRequest = 2_000;
/** Whatever comes with these is not read. */
const withoutBodies = new Set(['GET', 'HEAD']);

const tooManyAtOnce = overLimit(
  `a workspace may send ${mostAtOnce} bodies of over ${maxOpenBodyBytes / 1024} KiB at a time`,
  1_000,
);

/** Refuses those that are too many, before their bodies are read, and those beyond the limit of requests after that. */
export function limitLargeBodies(server: FastifyInstance, limits: RequestLimits): void {
  const sending = new Map<string, number>();
  server.decorateRequest('bodyValues', 0);
  server.addHook('preParsing', ({ raw, principal, method }, reply, payload, done) => {
    const isLarge = mayExceed(maxOpenBodyBytes, raw) && !withoutBodies.has(method);
    if (principal === undefined || !isLarge) return done(null, payload);
    const { workspaceId } = principal;
    if ((sending.get(workspaceId) ?? 0) >= mostAtOnce) return done(tooManyAtOnce);
    tally(sending, workspaceId, 1);
    onceLeft(reply, () => tally(sending, workspaceId, -1));
    return done(null, payload);
  });
  server.addHook('preValidation', async ({ principal, bodyValues: items }, answer) => {
    if (principal === undefined || items <= valuesPerRequest) return;
    await countItems(limits, principal, { items, perRequest: valuesPerRequest, answer });
  });
}
