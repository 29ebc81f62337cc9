/**
 * Keys that sign calls. A target keeps the public keys for a while, so a new key is published before it signs, and the
 * one before it stays published after its last signature. All of that is in the rows, so that all nodes agree.
 */

import { msPerDay } from '../clock.ts';
import type { SignKind } from '../jobs/sign.ts';

export const callAlgorithms = ['EdDSA', 'RS256'] as const;
export type CallAlgorithm = (typeof callAlgorithms)[number];

/** A public key as a JSON Web Key (RFC 7517, RFC 8037). */
export type CallJwk = { kty: 'OKP'; crv: string; x: string } | { kty: 'RSA'; n: string; e: string };

/** A key. Times are epoch milliseconds. */
export interface CallKey {
  /** RFC 7638 thumbprint. */
  keyId: string;
  algorithm: CallAlgorithm;
  publicJwk: CallJwk;
  createdAt: number;
  signsFrom: number;
  /** When it stops to sign; null until another key is to follow it. */
  retiredAt: number | null;
  /** Until when it is published; null as long as `retiredAt` is. */
  publishedUntil: number | null;
}

/** For how long others may keep the published keys. */
export const keysCachedSeconds = 300;
/** A new key is published for this long before it signs: twice as long as others keep keys. */
const publishedBeforeMs = 2 * keysCachedSeconds * 1_000;
/** A key stays published for this long after its last signature. */
const publishedAfterMs = msPerDay;
/** Then no node signs with a key any more, however its clock differs. */
export const privatePartKeptMs = 60_000;

/** The algorithm in which calls of a kind are signed. */
export function algorithmOf(kind: SignKind): CallAlgorithm {
  return kind === 'oidc-rs256' ? 'RS256' : 'EdDSA';
}

/** Whether a key is published. */
export function isPublished({ retiredAt, publishedUntil }: CallKey, now: number): boolean {
  if (publishedUntil === null) return true;
  // One that leaked is never published again: the clock of this node may be behind, or be set back.
  return publishedUntil !== retiredAt && publishedUntil > now;
}

/** What a key does, in a word for people. */
export function callKeyState(
  key: CallKey,
  now: number,
): 'next' | 'signs' | 'published' | 'retired' {
  if (!isPublished(key, now)) return 'retired';
  if (key.retiredAt !== null && key.retiredAt <= now) return 'published';
  return key.signsFrom > now ? 'next' : 'signs';
}

/** Of keys that can sign, the one of an algorithm that does: the newest that may sign, or the one that may first. */
export function signerOf<Key extends CallKey>(
  keys: readonly Key[],
  algorithm: CallAlgorithm,
  now: number,
): Key | undefined {
  const own = keys
    .filter((key) => key.algorithm === algorithm)
    .toSorted((one, other) => one.signsFrom - other.signsFrom);
  return own.findLast(({ signsFrom }) => signsFrom <= now) ?? own[0];
}

/** When a new key begins to sign, and until when the one before it signs and is published. */
export function rotationTimes(now: number, isAtOnce: boolean) {
  if (isAtOnce) return { signsFrom: now, retiredAt: now, publishedUntil: now };
  const signsFrom = now + publishedBeforeMs;
  return { signsFrom, retiredAt: signsFrom, publishedUntil: signsFrom + publishedAfterMs };
}
