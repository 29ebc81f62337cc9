/** The verdict on everything that was given at once: each receipt by itself, then the chains they form. */

import { chainsOf } from './chain.ts';
import type { Chain, Link } from './chain.ts';
import type { TrustedKeys } from './trusted-keys.ts';
import { verifyReceipt } from './verify.ts';
import type { Verdict } from './verify.ts';

/** A receipt to judge, and where it was found. */
export interface Given {
  source: string;
  bytes: Uint8Array;
}

/** The whole verdict. */
export interface Judgement {
  /** `invalid` if a receipt or a chain is; else `unreadable` if a receipt is; else `valid`. */
  verdict: Verdict['verdict'];
  receipts: ({ source: string } & Verdict)[];
  chains: Chain[];
}

/** How a command that judges ends. */
export const exitCodes = { valid: 0, invalid: 1, unreadable: 2 } as const;

/** Judges receipts. `inOrder` says that their order is meant to be that of their chains. */
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
