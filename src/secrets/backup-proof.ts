/**
 * What shows that a backup was made with the master key, and not changed since: HMAC-SHA-256 over the whole file, with a key
 * derived from the master key (HKDF, RFC 5869), as a line of text behind the database. SQLite reads as many pages as the
 * header counts and ignores what follows, so that the file stays a database that `sqlite3` opens.
 */

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

const form = /^\njobd backup v1 ([0-9a-f]{16}) ([0-9a-f]{64})\n$/;
/** Of the line: the words, the id of the key, the code, and the line ends and blanks between them. */
export const proofBytes = 98;

/** A proof as it is found; whether it is true is another question. */
export interface BackupProof {
  keyId: string;
  code: string;
}

/** Reads the last `proofBytes` of a file; null if they are none. */
export function parseBackupProof(end: Uint8Array): BackupProof | null {
  const [, keyId, code] = form.exec(Buffer.from(end).toString('latin1')) ?? [];
  return keyId === undefined || code === undefined ? null : { keyId, code };
}

/** Computes a proof over bytes that come one after the other. */
export interface BackupProver {
  add(bytes: Uint8Array): void;
  /** The line, once all bytes were added. */
  line(): string;
}

/** Begins a proof with a master key. */
export function startBackupProof({ id, key }: MasterKey): BackupProver {
  const derived = hkdfSync('sha256', key, Buffer.alloc(0), 'jobd backup v1', 32);
  const hmac = createHmac('sha256', Buffer.from(derived));
  return {
    add: (bytes) => void hmac.update(bytes),
    line: () => `\njobd backup v1 ${id} ${hmac.digest('hex')}\n`,
  };
}

/** Whether a computed line says what was found. */
export function isProvenBy({ code }: BackupProof, line: string): boolean {
  const computed = form.exec(line)?.[2] ?? '';
  return computed !== '' && timingSafeEqual(Buffer.from(computed), Buffer.from(code));
}
