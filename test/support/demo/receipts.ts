/** The receipts of a demo, each issued when its run ended. */

import { ensureSigningKey } from '../../../src/app/receipts/signing-keys.ts';
import { hasReceipt, receiptPayload } from '../../../src/domain/receipts/receipt.ts';
import { openSigningKey } from '../../../src/receipt/keyring.ts';
import { nativeSha256, signReceipt } from '../../../src/receipt/sign.ts';
import { findUnsignedRuns, keepReceipts } from '../../../src/store/receipts/receipts.ts';
import { findActiveSigningKey } from '../../../src/store/receipts/signing-keys.ts';
import type { World } from './world.ts';

const siteUrl = 'https://jobs.example.com';
/** Between the end of a run and its receipt, in milliseconds. */
const signedAfterMs = 3;

/** Signs what receipts are still to be signed, with the key that is active now. */
export async function signAll({ local: { store }, app }: World): Promise<void> {
  await ensureSigningKey(app);
  const active = await findActiveSigningKey(store.db);
  if (active === undefined) throw new Error('there is no signing key');
  const key = openSigningKey(app.vault, active);
  const unsigned = await findUnsignedRuns(store.db, { limit: 100_000 });
  const last = new Map<string, string>();
  const receipts = unsigned.map(({ run, previousReceiptSha256 }) => {
    if (!hasReceipt(run)) throw new Error(`run ${run.id} has no receipt`);
    const previousSha256 = last.get(run.jobId) ?? previousReceiptSha256;
    const issue = {
      siteUrl,
      issuedAt: run.finishedAt + signedAfterMs,
      previousReceiptSha256: previousSha256,
      sha256: nativeSha256,
    };
    const text = signReceipt(receiptPayload(run, issue), key);
    const sha256 = nativeSha256(Buffer.from(text));
    last.set(run.jobId, sha256);
    return { runId: run.id, jobId: run.jobId, text, sha256, previousSha256 };
  });
  await store.write((tx) => keepReceipts(tx, receipts));
}
