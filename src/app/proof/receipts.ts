/** Receipts, and the keys to verify them with. */

import { JobdError } from '../../domain/errors.ts';
import { hasReceipt } from '../../domain/proof/receipt.ts';
import { isFinal, type Run } from '../../domain/runs/run.ts';
import { keyDocument, keySet, type KeyDocument, type KeySet } from '../../receipt/key.ts';
import { findReceipt } from '../../store/proof/receipts.ts';
import * as keys from '../../store/proof/signing-keys.ts';
import type { Ground, Principal, ReceiptsApp } from '../app.ts';
import { getRun } from '../runs/runs.ts';

/**
 * The receipt of a run, as text in canonical form. If it is not signed yet, it is signed at once. Throws `not_found`,
 * and `conflict` if there is no receipt, or none yet.
 */
export async function getReceipt(
  app: ReceiptsApp,
  principal: Principal,
  jobId: string,
  runId: string,
): Promise<string> {
  const run = await getRun(app, principal, jobId, runId);
  const { db } = app.store;
  if (!isFinal(run.status) && app.isSigning) throw notYet(run);
  if (!hasReceipt(run)) throw noReceipt(run.id, whyNot(run));
  const receipt = (await findReceipt(db, run.id)) ?? (await signNow());
  if (receipt !== undefined) return receipt;
  throw noReceipt(run.id, 'none was issued when it ended');

  async function signNow(): Promise<string | undefined> {
    await app.signReceiptsOf(jobId);
    return await findReceipt(db, run.id);
  }
}

/** Why an ended run has no receipt. */
function whyNot({ status }: Run): string {
  return status === 'interrupted' || status === 'missed'
    ? `it was ${status}`
    : 'it has no HTTP answer';
}

function notYet({ id, status }: Run): JobdError {
  const state = status === 'queued' ? 'queued' : 'still running';
  return new JobdError(
    'conflict',
    `there is no receipt yet: run ${id} is ${state}, its receipt exists once it has ended with an HTTP answer`,
  );
}

function noReceipt(runId: string, why: string): JobdError {
  return new JobdError('conflict', `there is no receipt for run ${runId}: ${why}`);
}

/** The key that signs receipts now. Throws `unavailable` if receipts are not signed. */
export async function getReceiptKey(app: ReceiptsApp): Promise<KeyDocument> {
  const active = app.isSigning ? await keys.findActiveSigningKey(app.store.db) : undefined;
  if (active !== undefined) return keyDocument(active);
  throw new JobdError('unavailable', 'receipt signing is not configured');
}

/** Every key that ever signed receipts, the newest first. */
export async function listReceiptKeys({ store }: Ground): Promise<KeySet> {
  return keySet(await keys.listSigningKeys(store.db));
}
