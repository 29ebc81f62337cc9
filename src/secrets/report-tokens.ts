/**
 * The ends of report URLs: the id of a run and a code over it, HMAC-SHA-256 with a key derived (HKDF, RFC 5869) from a
 * secret of the store. So a token needs no row, every node can read it, and it fits no other run. 48 bytes, which base64url
 * writes in one way only.
 */

import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ReportTokens } from '../domain/runs/report.ts';

const idBytes = 16;
const form = /^[A-Za-z0-9_-]{64}$/;

/** A new secret, in base64url. */
export function newReportSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The tokens of a secret. */
export function reportTokens(secret: string): ReportTokens {
  const derived = hkdfSync('sha256', secret, Buffer.alloc(0), 'jobd report url v1', 32);
  const key = Buffer.from(derived);
  const codeOf = (id: Uint8Array): Buffer => createHmac('sha256', key).update(id).digest();
  return {
    tokenOf(runId) {
      const id = Buffer.from(runId.replaceAll('-', ''), 'hex');
      return Buffer.concat([id, codeOf(id)]).toString('base64url');
    },
    runIdOf(token) {
      if (!form.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      const id = bytes.subarray(0, idBytes);
      return timingSafeEqual(codeOf(id), bytes.subarray(idBytes)) ? idOf(id) : null;
    },
  };
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
