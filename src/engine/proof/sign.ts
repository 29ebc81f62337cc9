/**
 * Sign: a step of its own after record, so that no call waits for a signature. The transaction that records a run also
 * marks it for signing. Signing finds the marks by a query, also after a crash. The receipts of a job are signed in the
 * order of its runs, and each names the one before it.
 */

import type { Clock } from '../../domain/clock.ts';
import { hasReceipt, receiptPayload } from '../../domain/proof/receipt.ts';
import type { Vault } from '../../domain/secrets/vault.ts';
import { openSigningKey } from '../../receipt/keyring.ts';
import { nativeSha256, signReceipt, signText, type SigningKey } from '../../receipt/sign.ts';
import type { Store } from '../../store/database/store.ts';
import { findUnsignedRuns, keepReceipts } from '../../store/proof/receipts.ts';
import { oneAtATime } from '../one-at-a-time.ts';
import type { SignedReceipt, UnsignedRun } from '../../store/proof/receipts.ts';
import { findActiveSigningKey } from '../../store/proof/signing-keys.ts';

/** The most receipts of one step: some milliseconds, and one sync of the disk. */
export const signingBatch = 50;

export interface SignerParts {
  store: Store;
  clock: Clock;
  vault: Vault;
  /** The site URL, which is known only once the server listens. */
  readonly siteUrl: () => string;
}

export interface Signer {
  /** Signs a batch of receipts, of one job or of any. Returns how many; 0 if there are no more. */
  readonly sign: (jobId?: string) => Promise<number>;
  /** Signs a text with the active key. Returns the signature in base64. */
  signText(text: string): Promise<string>;
}

/** Makes the signer. A store has one, since each receipt needs the one before it. */
export function createSigner({ store, clock, vault, siteUrl }: SignerParts): Signer {
  let key: SigningKey | undefined;

  async function activeKey(): Promise<SigningKey> {
    const active = await findActiveSigningKey(store.db);
    if (active === undefined) throw new Error('there is no signing key');
    if (key?.keyId !== active.keyId) key = openSigningKey(vault, active);
    return key;
  }

  async function signBatch(jobId?: string): Promise<number> {
    const unsigned = await findUnsignedRuns(store.db, {
      ...(jobId !== undefined && { jobId }),
      limit: signingBatch,
    });
    if (unsigned.length === 0) return 0;
    const active = await activeKey();
    const receipts = signAll(unsigned, active, { siteUrl: siteUrl(), issuedAt: clock.now() });
    await store.write(async (tx) => {
      // The key was changed meanwhile: nobody has seen these receipts, and they are signed again with the new key.
      if ((await findActiveSigningKey(tx))?.keyId !== active.keyId) return;
      await keepReceipts(tx, receipts);
    });
    return unsigned.length;
  }

  return {
    sign: oneAtATime(signBatch),
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
    const previousSha256 = previous.get(run.jobId) ?? previousReceiptSha256;
    const payload = receiptPayload(run, {
      ...issue,
      previousReceiptSha256: previousSha256,
      sha256: nativeSha256,
    });
    const text = signReceipt(payload, key);
    const sha256 = nativeSha256(Buffer.from(text));
    previous.set(run.jobId, sha256);
    return { runId: run.id, jobId: run.jobId, text, sha256, previousSha256 };
  });
}
