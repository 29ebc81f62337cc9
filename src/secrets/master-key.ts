/** Master keys: 32 random bytes, used as the AES-256 key. */

import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { invalidInput } from '../domain/errors.ts';

const keyBytes = 32;

export interface MasterKey {
  /** 16 hexadecimal digits, derived from the key without revealing it. */
  id: string;
  key: KeyObject;
}

/** A new key. */
export function makeMasterKey(): MasterKey {
  return masterKeyOf(randomBytes(keyBytes));
}

/** Reads a key: 32 bytes in hexadecimal, base64 or base64url. Throws `invalid_input` with `where`, without the text. */
export function parseMasterKey(text: string, where: string): MasterKey {
  const isHex = /^[0-9a-f]{64}$/i.test(text);
  const isBase64 = /^[\w+/-]{43}=?$/.test(text);
  if (isHex || isBase64) return masterKeyOf(Buffer.from(text, isHex ? 'hex' : 'base64'));
  throw invalidInput(
    `${where} must be 32 random bytes in base64 or hexadecimal (openssl rand -base64 32), ` +
      `got ${text.length} characters that are not`,
  );
}

/** A key in base64, for the key file. */
export function masterKeyText({ key }: MasterKey): string {
  return key.export().toString('base64');
}

function masterKeyOf(bytes: Buffer): MasterKey {
  const id = createHmac('sha256', bytes).update('jobd master key id').digest('hex').slice(0, 16);
  return { id, key: createSecretKey(bytes) };
}
