/** The route that describes the key of the request. */

import type { App } from '../../app/app.ts';
import { createMe } from '../../app/accounts/me.ts';
import { isoTimeOrNull } from '../../domain/clock.ts';
import { describe } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { Me } from './contract.ts';

const operations = describe(
  { tag: 'Account', isExtension: true },
  {
    getMe: {
      summary: 'Get the key, its workspace and its plan',
      description:
        "Returns the key's workspace and permission, the limits of the account's plan, and the current usage. It works after " +
        'the trial has ended, too.',
      response: { 200: Me },
      answer: 'The key, its workspace and its plan.',
    },
  },
);

/** Adds the route. */
export function accountRoutes(server: ApiServer, app: App): void {
  const getMe = createMe(app);
  server.get('/me', operations.getMe, async ({ principal }) => {
    const me = await getMe(principal);
    return { ...me, trialEndsAt: isoTimeOrNull(me.trialEndsAt) };
  });
}
