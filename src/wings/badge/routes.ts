/** Routes of badges, for their owners. */

import { badRequest, describe, notPaid } from '../../api/description/operation.ts';
import { Ok, pageRequest, PageQuery } from '../../api/http/contract.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import {
  readIdempotencyKey,
  RepeatableHeaders,
  repeatableOf,
  usedKey,
} from '../../api/http/repeatable.ts';
import type { App } from '../../app/app.ts';
import { isoTime } from '../../domain/clock.ts';
import type { ApiParts } from '../../serve/house.ts';
import { createBadge, deleteBadge, mostBadges, pageOfBadges } from './badges.ts';
import { BadgeInput, BadgeList, BadgeMade, BadgePath, type Badge as Shape } from './contract.ts';
import type { Badge } from './query.ts';

const operations = describe(
  { tag: 'Badges', noun: 'badge', isExtension: true },
  {
    listBadges: {
      summary: 'List badges',
      description: 'Returns the badges of the workspace, newest first.',
      querystring: PageQuery,
      response: { 200: BadgeList },
      answer: 'A page of badges.',
    },
    createBadge: {
      summary: 'Create a badge',
      description:
        'Creates a picture of the state of jobs and monitors. Whoever has its address sees its name, how many are down, and of ' +
        'how many; nothing else.',
      headers: RepeatableHeaders,
      body: BadgeInput,
      response: { 201: BadgeMade },
      answer: 'The badge, and its addresses.',
      failures: {
        400: badRequest('name must not be blank'),
        402: notPaid,
        403: `The key may only read, or the workspace has ${mostBadges} badges.`,
        409: {
          ...usedKey,
          when: 'The `Idempotency-Key` was used before: the addresses of the badge that it made were in that answer alone.',
        },
      },
    },
    deleteBadge: {
      summary: 'Delete a badge',
      description: 'Deletes the badge. 30 seconds later at the latest its addresses answer 404.',
      params: BadgePath,
      response: { 200: Ok },
      answer: 'The badge is deleted.',
    },
  },
);

/** Adds the routes. */
export function badgeRoutes(server: ApiServer, app: App, { siteUrl }: ApiParts): void {
  server.get('/badges', operations.listBadges, async ({ principal, query }) => {
    const { items, nextCursor } = await pageOfBadges(app, principal, pageRequest(query));
    return { badges: items.map(shape), nextCursor };
  });
  const create = { ...operations.createBadge, preValidation: readIdempotencyKey };
  server.post('/badges', create, async (request, reply) => {
    const { principal, body } = request;
    const { badge, token } = await createBadge(app, principal, body, repeatableOf(request));
    const url = `${siteUrl()}/badge/${token}`;
    const made = { badge: shape(badge), pictureUrl: `${url}.svg`, stateUrl: `${url}.json` };
    return reply.code(201).at(`/badges/${badge.id}`).send(made);
  });
  server.delete('/badges/:id', operations.deleteBadge, async ({ principal, params }) => {
    await deleteBadge(app, principal, params.id);
    return { ok: true };
  });
}

function shape({ id, name, selector, createdAt }: Badge): Shape {
  return { id, name, selector, createdAt: isoTime(createdAt) };
}
