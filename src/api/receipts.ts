/** Routes of receipts. This jobd signs none yet: the routes answer as they do without a signing key. */

import { getRun } from '../app/runs.ts';
import type { App } from '../app/app.ts';
import { JobdError } from '../domain/errors.ts';
import { RunPath } from './contract.ts';
import type { ApiServer } from './fastify.ts';
import * as operations from './description/operations.ts';
import { Receipt, ReceiptKey } from './receipt-contract.ts';

/** Adds the route that needs a key. */
export function receiptRoutes(server: ApiServer, app: App): void {
  server.route({
    method: 'GET',
    url: '/jobs/:id/runs/:runId/receipt',
    schema: { params: RunPath, response: { 200: Receipt }, operation: operations.getReceipt },
    handler: async ({ principal, params }) => {
      const run = await getRun(app, principal, params.id, params.runId);
      throw new JobdError('conflict', `there is no receipt for run ${run.id}`);
    },
  });
}

/** Adds the route that needs none (spec section 5). */
export function receiptKeyRoutes(server: ApiServer): void {
  server.route({
    method: 'GET',
    url: '/receipts/key',
    schema: { response: { 200: ReceiptKey }, operation: operations.getReceiptKey },
    handler: async () => {
      throw new JobdError('unavailable', 'receipt signing is not configured');
    },
  });
}
