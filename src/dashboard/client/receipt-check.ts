/** Fetches a receipt and checks it here: against a key file, else against the keys that this browser has seen first. */

import type { Run } from '../../api/runs/contract.ts';
import { maxDocumentBytes } from '../../receipt/json.ts';
import type { TrustedKeys } from '../../receipt/trusted-keys.ts';
import { root } from '../router.ts';
import type * as receipts from '../view/receipt.ts';
import type { CheckedReceipt, CheckedWith } from '../view/receipt.ts';
import { download } from './api.ts';
import { now } from './clock.ts';

/** Several jobds may be at one host, below different paths. */
const place = `jobd receipt keys ${root}`;

/** The keys that were seen, for a browser that keeps nothing. */
let keptHere: string | null = null;

/** What came of a check: a verdict, or why there is none. */
export type Check = CheckedReceipt | { problem: string };

/** The address from which a browser downloads the receipt, with the session's cookie. */
export function receiptAddress(run: Pick<Run, 'id' | 'jobId'>): string {
  return `${root}api/v1${receiptPath(run)}`;
}

type Verifier = typeof receipts;

/** Loads the code that checks, which has a script of its own: most people never check a receipt. */
async function loadVerifier(): Promise<Verifier> {
  const name = document.querySelector('script')?.dataset['receipts'];
  try {
    return (await import(`${root}assets/${name}`)) as Verifier;
  } catch {
    throw new Error('The code that checks receipts could not be loaded. Reload the page.');
  }
}

/** Checks the receipt of a run. Never rejects. */
export async function checkHere(run: Run, file: File | null): Promise<Check> {
  try {
    const verifier = await loadVerifier();
    const checked = await (file === null ? seenKeys(verifier) : chosenKeys(verifier, file));
    if ('problem' in checked) return checked;
    const receipt = await download(receiptPath(run));
    if (!receipt.ok) return { problem: receipt.error };
    return verifier.checkReceipt(receipt.body, run, checked, now.peek());
  } catch (error) {
    return { problem: error instanceof Error ? error.message : 'the check failed' };
  }
}

/** Notes the keys of the server, so that a later check can tell whether they are still the same. */
export async function noteKeys(): Promise<void> {
  if (recallSeen() === null) await loadVerifier().then(seenKeys, () => {});
}

/** Forgets the keys that were seen: the next check trusts what the server has then. */
export function forgetKeys(): void {
  keepSeen(null);
}

async function chosenKeys(
  { readTrustedKeys }: Verifier,
  file: File,
): Promise<CheckedWith | { problem: string }> {
  if (file.size > maxDocumentBytes) {
    return { problem: `the key cannot be used: the file has ${file.size} bytes` };
  }
  const bytes = await file.arrayBuffer();
  return { kind: 'chosen', keys: readTrustedKeys([new Uint8Array(bytes)]) };
}

async function seenKeys(verifier: Verifier): Promise<CheckedWith | { problem: string }> {
  const before = verifier.readSeen(recallSeen());
  const served = await download('/receipts/keys');
  if (!served.ok) {
    if (before.length === 0) return { problem: served.error };
    return { kind: 'seen', seen: before, change: 'same' };
  }
  const at = new Date(now.peek()).toISOString();
  const { seen, change } = verifier.compareKeys(before, servedKeys(verifier, served.body), at);
  if (seen.length === 0) return { problem: 'This jobd has no key that signs receipts.' };
  if (seen.length > before.length) keepSeen(JSON.stringify(seen));
  return { kind: 'seen', seen, change };
}

/** None if the server has none: one that signs nothing has no keys. */
function servedKeys({ readTrustedKeys }: Verifier, body: Uint8Array): TrustedKeys {
  try {
    return readTrustedKeys([body]);
  } catch {
    return new Map();
  }
}

function receiptPath({ id, jobId }: Pick<Run, 'id' | 'jobId'>): string {
  return `/jobs/${jobId}/runs/${id}/receipt`;
}

function recallSeen(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return keptHere;
  }
}

function keepSeen(seen: string | null): void {
  keptHere = seen;
  try {
    if (seen === null) localStorage.removeItem(place);
    else localStorage.setItem(place, seen);
  } catch {
    // This tab remembers them.
  }
}
