/**
 * Proofs that a backup was made with the master key and not changed since: HMAC-SHA-256 over the whole file, with a key
 * derived from the master key (HKDF, RFC 5869). The proof is a line of text after the database. SQLite reads only the
 * pages that the header counts, so `sqlite3` still opens the file.
 */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { MasterKey } from '../../secrets/master-key.ts';

const form = /^\njobd backup v1 ([0-9a-f]{16}) ([0-9a-f]{64})\n$/;
/** The length of the line, with the line feeds around it. */
export const proofBytes = 98;

/** A proof as found in a file, not yet verified. */
export interface BackupProof {
  keyId: string;
  code: string;
}

/** Parses the last `proofBytes` of a file; null if they are not a proof. */
export function parseBackupProof(end: Uint8Array): BackupProof | null {
  const [, keyId, code] = form.exec(Buffer.from(end).toString('latin1')) ?? [];
  return keyId === undefined || code === undefined ? null : { keyId, code };
}

/** Computes a proof over bytes that are added in turn. */
export interface BackupProver {
  add(bytes: Uint8Array): void;
  /** The line, once all bytes were added. */
  line(): string;
}

/** Starts a proof with a master key. */
export function startBackupProof({ id, key }: MasterKey): BackupProver {
  const derived = hkdfSync('sha256', key, Buffer.alloc(0), 'jobd backup v1', 32);
  const hmac = createHmac('sha256', Buffer.from(derived));
  return {
    add: (bytes) => void hmac.update(bytes),
    line: () => `\njobd backup v1 ${id} ${hmac.digest('hex')}\n`,
  };
}

/** Whether a proof equals a computed line; takes constant time. */
export function isProvenBy({ code }: BackupProof, line: string): boolean {
  const computed = form.exec(line)?.[2] ?? '';
  return computed !== '' && timingSafeEqual(Buffer.from(computed), Buffer.from(code));
}
