/** Secrets that sign somebody in: made at random, shown once, kept as their SHA-256. */

import { hash, randomBytes } from 'node:crypto';

/** A new secret, in hexadecimal. */
export function newSecret(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** What is kept of a secret. A secret has 128 bits or more, so a plain hash cannot be reversed by guessing. */
export function sha256Of(secret: string): string {
  return hash('sha256', secret, 'hex');
}
