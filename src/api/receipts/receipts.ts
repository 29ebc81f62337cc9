/** Routes of receipts, and of the keys to check them with. */

import type { App } from '../../app/app.ts';
import { getReceipt, getReceiptKey, listReceiptKeys } from '../../app/receipts/receipts.ts';
import { RunPath } from '../contract.ts';
import { fixedAnswer } from '../http/fixed-answer.ts';
import type { ApiServer } from '../http/fastify.ts';
import * as operations from '../description/operations.ts';
import { Receipt, ReceiptKey, ReceiptKeys } from './contract.ts';

/** Adds the route that needs a key. */
export function receiptRoutes(server: ApiServer, app: App): void {
  server.route({
    method: 'GET',
    url: '/jobs/:id/runs/:runId/receipt',
    schema: { params: RunPath, response: { 200: Receipt }, operation: operations.getReceipt },
    handler: async ({ principal, params }, reply) => {
      const receipt = await getReceipt(app, principal, params.id, params.runId);
      reply.header('content-disposition', `attachment; filename="receipt-${params.runId}.json"`);
      // As it was signed, to the byte.
      return reply.type('application/json; charset=utf-8').send(receipt as unknown as Receipt);
    },
  });
}

/** Adds what is outside the API: the script that checks receipts without jobd (docs/behavior.md#receipt-4). */
export function verifyScriptRoute(server: ApiServer, app: App): void {
  server.get(
    '/verify-receipt.mjs',
    fixedAnswer('text/javascript; charset=utf-8', () => app.verifyScript()),
  );
}

/** Adds the routes that need none (docs/behavior.md#key-4). */
export function receiptKeyRoutes(server: ApiServer, app: App): void {
  server.route({
    method: 'GET',
    url: '/receipts/key',
    schema: { response: { 200: ReceiptKey }, operation: operations.getReceiptKey },
    handler: () => getReceiptKey(app),
  });
  server.route({
    method: 'GET',
    url: '/receipts/keys',
    schema: { response: { 200: ReceiptKeys }, operation: operations.listReceiptKeys },
    handler: () => listReceiptKeys(app),
  });
}
