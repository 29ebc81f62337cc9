/** SHA-256 from a library: Web Crypto is asynchronous and absent from pages loaded by plain HTTP. */

import { sha256 } from '@noble/hashes/sha2.js';
import { toBase64url } from './base64.ts';

/** In lower-case hexadecimal. */
export function sha256Hex(bytes: Uint8Array): string {
  return Array.from(sha256(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** In base64url. */
export function sha256Base64url(bytes: Uint8Array): string {
  return toBase64url(sha256(bytes));
}
