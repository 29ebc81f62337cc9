/**
 * The format of sealed values: `v1.KEYID.BASE64`. The last part is the nonce (12 random bytes), the ciphertext and the
 * tag (16 bytes) of AES-256-GCM (NIST SP 800-38D). The additional authenticated data are the text before it and the
 * place of the value (`placeOf`).
 */

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { MasterKey } from './master-key.ts';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;
const options = { authTagLength: tagBytes };
const headForm = /^v1\.([0-9a-f]{16})\.$/;
/** `v1.`, the id and a dot. */
const headLength = 3 + 16 + 1;

/** Seals a text for one place. */
export function seal({ id, key }: MasterKey, plaintext: string, place: string): string {
  const head = `v1.${id}.`;
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce, options).setAAD(aad(head, place));
  const parts = [nonce, cipher.update(plaintext, 'utf8'), cipher.final(), cipher.getAuthTag()];
  return head + Buffer.concat(parts).toString('base64');
}

/** The id of the key that sealed this; undefined if it is not a sealed value. */
export function sealedBy(sealed: string): string | undefined {
  return headForm.exec(sealed.slice(0, headLength))?.[1];
}

/** Opens a value that this key sealed for this place. Throws an Error if it is anything else. */
export function open({ key }: MasterKey, sealed: string, place: string): string {
  const bytes = Buffer.from(sealed.slice(headLength), 'base64');
  if (bytes.length < nonceBytes + tagBytes) throw new Error('it is too short');
  const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, nonceBytes), options)
    .setAAD(aad(sealed.slice(0, headLength), place))
    .setAuthTag(bytes.subarray(-tagBytes));
  const plaintext = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
  // Checks the tag. GCM has no final block.
  decipher.final();
  return plaintext.toString('utf8');
}

function aad(head: string, place: string): Buffer {
  return Buffer.from(head + place);
}
