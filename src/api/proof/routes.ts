/** Routes of receipts and of the keys that verify them. */

import type { ReceiptsApp } from '../../app/app.ts';
import { getReceipt, getReceiptKey, listReceiptKeys } from '../../app/proof/receipts.ts';
import { describe, noRun } from '../description/operation.ts';
import { fixedAnswer } from '../http/fixed-answer.ts';
import type { ApiServer } from '../http/fastify.ts';
import { RunPath } from '../runs/contract.ts';
import { Receipt, ReceiptKey, ReceiptKeys } from './contract.ts';
import { receipt } from './examples.ts';

const operations = describe(
  { tag: 'Receipts' },
  {
    getReceipt: {
      summary: 'Download the receipt of a run',
      description:
        'A signed record of what the service observed. Anyone can verify it without the service. It does not contain the URL, ' +
        'headers or body of the request. It proves the response, not what the called application did.',
      params: RunPath,
      response: { 200: Receipt },
      answer: 'The receipt, as a file.',
      answerHeaders: { 'Content-Disposition': '`attachment` and a file name.' },
      failures: {
        404: noRun,
        409: {
          when:
            'There is no receipt for this run: the run has not ended, was interrupted or missed, or got no HTTP response; or ' +
            'no receipt was issued when it ended. The error says which.',
          example: `there is no receipt for run ${receipt.payload.runId}: it has no HTTP answer`,
        },
      },
    },
    listReceiptKeys: {
      summary: 'Get all keys that verify receipts',
      description:
        'Returns every public key that ever signed receipts, including retired ones, as a JSON Web Key Set.',
      response: { 200: ReceiptKeys },
      answer: 'The keys; the current signing key is the first.',
      isOpen: true,
      isExtension: true,
    },
    getReceiptKey: {
      summary: 'Get the key that verifies receipts',
      description:
        'Returns the public key of the current signing key. Fetch it over HTTPS and keep it: receipts from before a rotation ' +
        'are verified with the key that signed them.',
      response: { 200: ReceiptKey },
      answer: 'The key.',
      failures: {
        503: {
          when: 'Receipt signing is not configured.',
          example: 'receipt signing is not configured',
        },
      },
      isOpen: true,
    },
  },
);

/** Adds the route that needs a key. */
export function receiptRoutes(server: ApiServer, app: ReceiptsApp): void {
  server.get(
    '/jobs/:id/runs/:runId/receipt',
    operations.getReceipt,
    async ({ principal, params }, reply) => {
      const signed = await getReceipt(app, principal, params.id, params.runId);
      reply.header('content-disposition', `attachment; filename="receipt-${params.runId}.json"`);
      // The exact bytes that were signed.
      return reply.type('application/json; charset=utf-8').send(signed as unknown as Receipt);
    },
  );
}

/** Adds the routes that need no key (docs/behavior.md#key-4). */
export function receiptKeyRoutes(server: ApiServer, app: ReceiptsApp): void {
  server.get('/receipts/key', operations.getReceiptKey, () => getReceiptKey(app));
  server.get('/receipts/keys', operations.listReceiptKeys, () => listReceiptKeys(app));
}

/** Adds the script that verifies receipts without jobd, outside the API (docs/behavior.md#receipt-4). */
export function verifyScriptRoute(server: ApiServer, app: ReceiptsApp): void {
  const script = fixedAnswer('text/javascript; charset=utf-8', () => app.verifyScript());
  server.get('/verify-receipt.mjs', script);
}
