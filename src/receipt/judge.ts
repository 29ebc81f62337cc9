/** The verdict on all given receipts, first on each and then on the chains they form, and its words for people. */

import { chainsOf, type Chain, type Link } from './chain.ts';
import { escaped } from './refusal.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import { verifyReceipt, type Verdict } from './verify.ts';

/** A receipt to judge, and where it was found. */
export interface Given {
  source: string;
  bytes: Uint8Array;
}

export interface Judgement {
  /** `invalid` if a receipt or a chain is; else `unreadable` if a receipt is; else `valid`. */
  verdict: Verdict['verdict'];
  receipts: ({ source: string } & Verdict)[];
  chains: Chain[];
}

export const exitCodes = { valid: 0, invalid: 1, unreadable: 2 } as const;

/** Judges receipts. `inOrder`: whether they are meant to be in the order of their chains. */
export function judge(given: readonly Given[], inOrder: boolean, keys: TrustedKeys): Judgement {
  const receipts = given.map(({ source, bytes }) => ({ source, ...verifyReceipt(bytes, keys) }));
  const links = receipts.filter((one): one is Link & typeof one => one.verdict === 'valid');
  const chains = chainsOf(links, inOrder);
  const isInvalid =
    receipts.some(({ verdict }) => verdict === 'invalid') ||
    chains.some(({ problems }) => problems.length > 0);
  const isReadable = receipts.every(({ verdict }) => verdict !== 'unreadable');
  const verdict = isInvalid ? 'invalid' : isReadable ? 'valid' : 'unreadable';
  return { verdict, receipts, chains };
}

type ValidReceipt = Extract<Judgement['receipts'][0], { verdict: 'valid' }>;

/** What a receipt proves and what not. */
const limits = 'it proves what the service observed, not what the called application did';

/** A judgement as lines for people: one for each problem, and a summary at the end. */
export function wordsOf({ verdict, receipts, chains }: Judgement): string[] {
  const wrong = receipts.flatMap((given) =>
    given.verdict === 'valid'
      ? []
      : [`${given.verdict}: ${escaped(given.source)}: ${given.reason}`],
  );
  const broken = chains.flatMap(({ jobId, problems }) =>
    problems.map((problem) => `invalid: in the chain of job ${jobId}, ${problem}`),
  );
  const lines = [...wrong, ...broken];
  const [only] = receipts;
  if (only?.verdict === 'valid' && receipts.length === 1) return [singleValid(only)];
  if (receipts.length === 1) return lines;
  if (verdict === 'valid') return [severalValid(receipts, chains)];
  const good = receipts.length - wrong.length;
  return [...lines, `${verdict}: ${good} of ${receipts.length} receipts are valid on their own`];
}

function singleValid({ receipt: { keyId, payload } }: ValidReceipt): string {
  const { runId, jobId, status, httpStatus, finishedAt, issuer, report } = payload;
  const said =
    report === undefined
      ? ''
      : report.reportedAt === null
        ? ', and not reported in time,'
        : `, and reported as ${report.outcome} by ${report.reportedBy === 'target' ? 'the target' : 'a person'},`;
  return (
    `valid: run ${runId} of job ${jobId} was answered with HTTP ${httpStatus} (${status})${said} at ${finishedAt}, ` +
    `says ${issuer}, signed by key ${keyId}; ${limits}`
  );
}

function severalValid(receipts: Judgement['receipts'], chains: readonly Chain[]): string {
  const statuses = receipts.map((one) => one.verdict === 'valid' && one.receipt.payload.status);
  const good = statuses.filter((status) => status === 'success').length;
  const partial = chains.filter(({ follows }) => follows !== null).length;
  const jobs = chains.length === 1 ? 'one job' : `${chains.length} jobs`;
  const middle = chains.length === 1 ? 'beginning' : `${partial} of their chains beginning`;
  const start = partial === 0 ? 'from the first on' : `${middle} in the middle`;
  return `valid: ${statuses.length} receipts (${good} success, ${statuses.length - good} failed) of ${jobs}, ${start}, none missing between; ${limits.replace('it proves', 'they prove')}`;
}
