/** The verdict on one receipt, offline and in a browser. Only the archived key is trusted, never the one that a receipt carries. */

import type { Receipt } from '../domain/proof/receipt.ts';
import { fromBase64url } from './base64.ts';
import { canonicalBytes } from './canonical.ts';
import { decodeReceipt, signatureBytes } from './decode.ts';
import { verifyEd25519 } from './ed25519.ts';
import { readJson } from './json.ts';
import { invalid, Refusal, shown, type RefusalKind } from './refusal.ts';
import { sha256Hex } from './sha256.ts';
import type { TrustedKeys } from './trusted-keys.ts';

/** The result of a check. `reason` is a clause for people and safe to show. */
export type Verdict =
  | {
      verdict: 'valid';
      receipt: Receipt;
      /** The hash by which the job's next receipt refers to this one. */
      receiptSha256: string;
    }
  | { verdict: RefusalKind; reason: string };

/** Whether the signature of a message is that of a sound public key. */
export type IsSignature = typeof verifyEd25519;

/**
 * Checks a receipt as downloaded against trusted keys, by default with the library that gives the same verdict on every platform.
 * Never throws, whatever the bytes are.
 */
export function verifyReceipt(
  bytes: Uint8Array,
  keys: TrustedKeys,
  isSignature: IsSignature = verifyEd25519,
): Verdict {
  try {
    const receipt = decodeReceipt(readJson(bytes));
    demandSignature(receipt, keys, isSignature);
    return { verdict: 'valid', receipt, receiptSha256: receiptSha256(receipt) };
  } catch (error) {
    if (error instanceof Refusal) return { verdict: error.kind, reason: error.message };
    throw error;
  }
}

/** The signed bytes of a receipt: all of it except the signature, in canonical form. */
export function signedBytes(receipt: Receipt): Uint8Array {
  const unsigned: Partial<Receipt> = { ...receipt };
  delete unsigned.signature;
  return canonicalBytes(unsigned);
}

/** SHA-256, in hexadecimal, of a receipt in canonical form, its signature included: the link of the chain. */
export function receiptSha256(receipt: Receipt): string {
  return sha256Hex(canonicalBytes(receipt));
}

function demandSignature(receipt: Receipt, keys: TrustedKeys, isSignature: IsSignature): void {
  const key = keys.get(receipt.keyId);
  if (key === undefined) {
    const trusted = [...keys.keys()].join(', ');
    throw invalid(`its key ${shown(receipt.keyId)} is not trusted (trusted: ${trusted})`);
  }
  if (receipt.publicKey !== undefined && receipt.publicKey !== key.publicKey) {
    throw invalid(`its public key differs from the trusted key ${key.keyId}`);
  }
  const publicKey = fromBase64url(key.publicKey);
  const signature = signatureBytes(receipt);
  if (!publicKey || !isSignature(signature, signedBytes(receipt), publicKey)) {
    throw invalid(`its signature by the key ${key.keyId} does not match its content`);
  }
}
