/** Fetches a receipt and checks it here: against a key file, else against the keys that this browser has seen first. */

import type { Run } from '../../api/runs/contract.ts';
import { maxDocumentBytes } from '../../receipt/json.ts';
import { readTrustedKeys, type TrustedKeys } from '../../receipt/trusted-keys.ts';
import { root } from '../router.ts';
import { checkReceipt, compareKeys, readSeen } from '../view/receipt.ts';
import type { CheckedReceipt, CheckedWith, SeenKey } from '../view/receipt.ts';
import { download } from './api.ts';
import { now } from './clock.ts';

/** Several jobds may be at one host, below different paths. */
const place = `jobd receipt keys ${root}`;

/** For a browser that keeps nothing. */
let seenHere: SeenKey[] = [];

/** What came of a check: a verdict, or why there is none. */
export type Check = CheckedReceipt | { problem: string };

/** The address from which a browser downloads the receipt, with the session's cookie. */
export function receiptAddress(run: Pick<Run, 'id' | 'jobId'>): string {
  return `${root}api/v1${receiptPath(run)}`;
}

/** Checks the receipt of a run. Never rejects. */
export async function checkHere(run: Run, file: File | null): Promise<Check> {
  try {
    const checked = file === null ? await seenKeys() : await chosenKeys(file);
    if ('problem' in checked) return checked;
    const receipt = await download(receiptPath(run));
    if (!receipt.ok) return { problem: receipt.error };
    return checkReceipt(receipt.body, run, checked, now.peek());
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'the check failed' };
  }
}

/** Notes the keys of the server, so that a later check can tell whether they are still the same. */
export async function noteKeys(): Promise<void> {
  if (recallSeen().length === 0) await seenKeys().catch(() => {});
}

/** Forgets the keys that were seen: the next check trusts what the server has then. */
export function forgetKeys(): void {
  keepSeen([]);
}

async function chosenKeys(file: File): Promise<CheckedWith | { problem: string }> {
  if (file.size > maxDocumentBytes) {
    return { problem: `the key cannot be used: the file has ${file.size} bytes` };
  }
  const bytes = await file.arrayBuffer();
  return { kind: 'chosen', keys: readTrustedKeys([new Uint8Array(bytes)]) };
}

async function seenKeys(): Promise<CheckedWith | { problem: string }> {
  const before = recallSeen();
  const served = await download('/receipts/keys');
  if (!served.ok) {
    if (before.length === 0) return { problem: served.error };
    return { kind: 'seen', seen: before, change: 'same' };
  }
  const at = new Date(now.peek()).toISOString();
  const { seen, change } = compareKeys(before, servedKeys(served.body), at);
  if (seen.length === 0) return { problem: 'This jobd has no key that signs receipts.' };
  if (seen.length > before.length) keepSeen(seen);
  return { kind: 'seen', seen, change };
}

/** None if the server has none: one that signs nothing has no keys. */
function servedKeys(body: Uint8Array): TrustedKeys {
  try {
    return readTrustedKeys([body]);
  } catch {
    return new Map();
  }
}

function receiptPath({ id, jobId }: Pick<Run, 'id' | 'jobId'>): string {
  return `/jobs/${jobId}/runs/${id}/receipt`;
}

function recallSeen(): SeenKey[] {
  try {
    return readSeen(localStorage.getItem(place));
  } catch {
    return seenHere;
  }
}

function keepSeen(seen: SeenKey[]): void {
  seenHere = seen;
  try {
    localStorage.setItem(place, JSON.stringify(seen));
  } catch {
    // This tab remembers them.
  }
}
