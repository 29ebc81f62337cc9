/** `SITE/badge/TOKEN.svg` and `.json`: what anybody with the address may see, outside the API and without a key. */

import { describe, type Refusal } from '../../api/description/operation.ts';
import type { ApiServer } from '../../api/http/fastify.ts';
import { refuseWhileOutdated } from '../../api/http/refusals.ts';
import type { App } from '../../app/app.ts';
import { JobdError } from '../../domain/errors.ts';
import type { ApiParts } from '../../serve/house.ts';
import { BadgePicture, BadgeState, TokenPath } from './contract.ts';
import { createShownBadges, type Answer, type Shown } from './shown.ts';

const gone = 'there is no badge at this URL';
const noBadge: Refusal = {
  when: 'No badge has this URL, or its account has expired.',
  example: gone,
};
const asked = {
  description:
    'Needs no key: the URL is the secret. It is counted every 30 seconds at most, and answered from memory.',
  params: TokenPath,
  isOpen: true,
  // Only reading, as a rule from memory.
  failures: { 404: noBadge, 503: null },
} as const;

const operations = describe(
  { tag: 'Badges', isExtension: true },
  {
    getBadgePicture: {
      summary: 'Get a badge as a picture',
      ...asked,
      response: { 200: BadgePicture },
      answer: 'The picture.',
      answerType: 'image/svg+xml',
    },
    getBadgeState: {
      summary: 'Get a badge in JSON',
      ...asked,
      response: { 200: BadgeState },
      answer: 'The state.',
    },
  },
);

/** Other sites may show it. */
const everywhere = { 'cross-origin-resource-policy': 'cross-origin' };

/** Adds the routes. A token that is not known counts for the address, before the store is asked for it. */
export function openBadgeRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  refuseWhileOutdated(server, app);
  const find = createShownBadges(app);
  const answer =
    (as: keyof Shown): Answer =>
    async (request, reply) => {
      const { token } = request.params as { token: string };
      const shown = await find(token, () => limits.countAddress(request.raw));
      if (shown === undefined) throw new JobdError('not_found', gone);
      await shown[as](request, reply.headers(everywhere));
    };
  server.get('/badge/:token.svg', operations.getBadgePicture, answer('svg'));
  server.get('/badge/:token.json', operations.getBadgeState, answer('json'));
}
