/** The route that tells a key about itself: an extension. */

import type { App } from '../../app/app.ts';
import { createMe } from '../../app/accounts/me.ts';
import type { OperationNotes } from '../description/operation.ts';
import type { ApiServer } from '../http/fastify.ts';
import { Me } from './me-contract.ts';
import { meShape } from '../shape.ts';

const notes: OperationNotes = {
  operationId: 'getMe',
  tag: 'Account',
  summary: 'Get what a key stands for',
  description:
    'The workspace that the key reaches and what it may do there; the limits of the plan of the account, and what the ' +
    'account uses of them. It is answered also when the trial has ended.',
  answer: 'What the key stands for.',
  failures: {},
  isExtension: true,
};

/** Adds the route. */
export function meRoutes(server: ApiServer, app: App): void {
  const getMe = createMe(app);
  server.route({
    method: 'GET',
    url: '/me',
    schema: { response: { 200: Me }, operation: notes },
    handler: async ({ principal }) => meShape(await getMe(principal)),
  });
}
