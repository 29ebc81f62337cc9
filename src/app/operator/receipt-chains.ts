/** Checks receipts and their chains: who changes results behind jobd's back changes a receipt, or leaves it behind. */

import { fromBase64url } from '../../receipt/base64.ts';
import { publicKeyOf } from '../../receipt/key.ts';
import { verifyNatively } from '../../receipt/native.ts';
import type { TrustedKeys } from '../../receipt/trusted-keys.ts';
import { verifyReceipt } from '../../receipt/verify.ts';
import type { Db } from '../../store/database/store.ts';
import { countReceipts, findChains, findNewestReceipts } from '../../store/proof/receipts.ts';
import type { ChainOfJob } from '../../store/proof/receipts.ts';
import { listSigningKeys } from '../../store/proof/signing-keys.ts';

export interface ReceiptsChecked {
  /** How many there are, and how many of them were checked in time. */
  receipts: number;
  checked: number;
  /** The first thing that is wrong, in a sentence; null if nothing was found. */
  problem: string | null;
}

/** Of each job, so many of its newest receipts are checked. */
const mostOfJobByDefault = 1_000;
const jobsAtOnce = 200;
/** As many as retention may leave: the receipts before the first one, and a pair that started in another order (docs/retention.md). */
const mostAbsent = 2;

/** What a caller wants beside the default. */
interface Wishes {
  mostOfJob?: number;
  /** Hears how many have been checked so far, of how many. */
  onChecked?: (checked: number, receipts: number) => void;
}

/** Checks receipts for at most `longestMs`, the newest of each job. */
export async function checkReceipts(
  db: Db,
  longestMs: number,
  { mostOfJob = mostOfJobByDefault, onChecked }: Wishes = {},
): Promise<ReceiptsChecked> {
  const deadline = performance.now() + longestMs;
  const receipts = await countReceipts(db);
  const keys = await keysOf(db);
  let checked = 0;
  if (typeof keys === 'string') return { receipts, checked, problem: keys };
  for (let afterId = ''; ;) {
    const jobs = await findChains(db, { afterId, limit: jobsAtOnce });
    for (const job of jobs) {
      if (performance.now() >= deadline) return { receipts, checked, problem: null };
      const chain = await checkChain(db, job, { keys, deadline, mostOfJob });
      checked += chain.checked;
      if (chain.problem !== null) return { receipts, checked, problem: chain.problem };
    }
    onChecked?.(checked, receipts);
    const last = jobs.at(-1);
    if (last === undefined) return { receipts, checked, problem: null };
    afterId = last.jobId;
  }
}

/** The keys of the database by their ids, or what is wrong with one. */
async function keysOf(db: Db): Promise<TrustedKeys | string> {
  const keys = new Map();
  for (const { keyId, publicKey } of await listSigningKeys(db)) {
    const bytes = fromBase64url(publicKey);
    const key = bytes && publicKeyOf(bytes);
    if (key?.keyId !== keyId) return `the signing key ${keyId} is not the one that its id names`;
    keys.set(keyId, key);
  }
  return keys;
}

async function checkChain(
  db: Db,
  { jobId, lastSha256 }: ChainOfJob,
  { keys, deadline, mostOfJob }: { keys: TrustedKeys; deadline: number; mostOfJob: number },
): Promise<Pick<ReceiptsChecked, 'checked' | 'problem'>> {
  const newest = await findNewestReceipts(db, jobId, mostOfJob);
  const known = new Set<string>();
  const followed = new Set<string | null>();
  let checked = 0;
  const found = (problem: string | null) => ({ checked, problem });
  for (const { runId, text } of newest) {
    if (performance.now() >= deadline) return found(null);
    const judged = verifyReceipt(Buffer.from(text), keys, verifyNatively);
    const named = `the receipt of run ${runId}`;
    if (judged.verdict !== 'valid') return found(`${named} is not valid: ${judged.reason}`);
    const { runId: saidRun, jobId: saidJob, previousReceiptSha256 } = judged.receipt.payload;
    if (saidRun !== runId || saidJob !== jobId) return found(`${named} is that of another run`);
    if (followed.has(previousReceiptSha256)) {
      return found(`${named} follows the same receipt as another`);
    }
    followed.add(previousReceiptSha256);
    known.add(judged.receiptSha256);
    checked += 1;
  }
  if (newest.length > 0) followed.add(lastSha256);
  const absent = [...followed].filter((sha256) => sha256 !== null && !known.has(sha256));
  if (absent.length <= mostAbsent) return found(null);
  return found(`the chain of receipts of job ${jobId} has gaps`);
}
