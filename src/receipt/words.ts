/** A judgement in words for people: a line for the whole, before it a line for each thing that is wrong. */

import type { Chain } from './chain.ts';
import type { Judgement } from './judge.ts';
import { escaped } from './refusal.ts';

type ValidReceipt = Extract<Judgement['receipts'][0], { verdict: 'valid' }>;

/** What a receipt attests and what it does not. */
const limits = 'it proves what the service observed, not what the called application did';

/** The lines of a judgement; the last one is its sum. */
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
  if (verdict === 'valid') return [severalValid(receipts.length, chains)];
  const good = receipts.length - wrong.length;
  return [...lines, `${verdict}: of ${receipts.length} receipts ${good} are valid by themselves`];
}

function singleValid({ receipt: { keyId, payload } }: ValidReceipt): string {
  const { runId, jobId, status, httpStatus, finishedAt, issuer } = payload;
  return (
    `valid: run ${runId} of job ${jobId} was answered with HTTP ${httpStatus} (${status}) at ${finishedAt}, ` +
    `says ${issuer}, signed by key ${keyId}; ${limits}`
  );
}

function severalValid(count: number, chains: readonly Chain[]): string {
  const partial = chains.filter(({ follows }) => follows !== null).length;
  const jobs = chains.length === 1 ? 'one job' : `${chains.length} jobs`;
  const middle = chains.length === 1 ? 'beginning' : `${partial} of their chains beginning`;
  const start = partial === 0 ? 'from the first on' : `${middle} in the middle`;
  return `valid: ${count} receipts of ${jobs}, ${start}, none missing between; ${limits.replace('it proves', 'they prove')}`;
}
