/**
 * Sign: a step of its own behind record, so that no call waits for a signature. What is to be signed is
 * marked in the transaction that records the run, and found by a query, also after a crash. Each job's
 * receipts are signed in the order of its runs, each pointing back to the one before.
 */

import type { Clock } from '../../domain/clock.ts';
import { hasReceipt, receiptPayload } from '../../domain/receipts/receipt.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { openSigningKey } from '../../receipt/keyring.ts';
import { nativeSha256, signReceipt, signText } from '../../receipt/sign.ts';
import type { SigningKey } from '../../receipt/sign.ts';
import type { Store } from '../../store/database/open.ts';
import { findUnsignedRuns, keepReceipts } from '../../store/receipts/receipts.ts';
import type { SignedReceipt, UnsignedRun } from '../../store/receipts/receipts.ts';
import { findActiveSigningKey } from '../../store/receipts/signing-keys.ts';

/** Receipts signed in one step at most: some milliseconds, and one sync of the disk. */
export const signingBatch = 50;

export interface SignerParts {
  store: Store;
  clock: Clock;
  vault: Vault;
  /** URL of the site, as it is known by when receipts are signed. */
  readonly siteUrl: () => string;
}

export interface Signer {
  /** Signs some receipts, of one job or of any. Returns how many; 0 when there are no more. */
  sign(jobId?: string): Promise<number>;
  /** Signs a text with the key that signs receipts now; the signature is in base64. */
  signText(text: string): Promise<string>;
}

/** Makes the signer; there is one for a store, as each receipt needs the one before. */
export function createSigner({ store, clock, vault, siteUrl }: SignerParts): Signer {
  let key: SigningKey | undefined;
  /** One batch at a time. */
  let last: Promise<unknown> = Promise.resolve();

  async function activeKey(): Promise<SigningKey> {
    const active = await findActiveSigningKey(store.db);
    if (active === undefined) throw new Error('there is no signing key');
    if (key?.keyId !== active.keyId) key = openSigningKey(vault, active);
    return key;
  }

  async function signBatch(jobId: string | undefined): Promise<number> {
    const unsigned = await findUnsignedRuns(store.db, {
      ...(jobId !== undefined && { jobId }),
      limit: signingBatch,
    });
    if (unsigned.length === 0) return 0;
    const active = await activeKey();
    const receipts = signAll(unsigned, active, { siteUrl: siteUrl(), issuedAt: clock.now() });
    await store.write(async (tx) => {
      // Another key may sign since: then none of these was ever seen, and all are signed anew.
      if ((await findActiveSigningKey(tx))?.keyId !== active.keyId) return;
      await keepReceipts(tx, receipts);
    });
    return unsigned.length;
  }

  return {
    sign(jobId) {
      const batch = last.then(() => signBatch(jobId));
      last = batch.catch(() => {});
      return batch;
    },
    async signText(text) {
      return signText(text, await activeKey());
    },
  };
}

function signAll(
  unsigned: readonly UnsignedRun[],
  key: SigningKey,
  issue: { siteUrl: string; issuedAt: number },
): SignedReceipt[] {
  const previous = new Map<string, string>();
  return unsigned.map(({ run, previousReceiptSha256 }) => {
    if (!hasReceipt(run)) throw new Error(`run ${run.id} has no receipt`);
    const payload = receiptPayload(run, {
      ...issue,
      previousReceiptSha256: previous.get(run.jobId) ?? previousReceiptSha256,
      sha256: nativeSha256,
    });
    const text = signReceipt(payload, key);
    const sha256 = nativeSha256(Buffer.from(text));
    previous.set(run.jobId, sha256);
    return { runId: run.id, jobId: run.jobId, text, sha256 };
  });
}
