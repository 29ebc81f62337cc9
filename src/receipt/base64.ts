/** Base64url (RFC 4648, section 5) without padding, one text for each sequence of bytes and no other. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const valueOf = new Map(Array.from(alphabet, (character, value) => [character, value]));

/** Bytes as base64url. */
export function toBase64url(bytes: Uint8Array): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      text += alphabet.charAt((pending >> bits) & 63);
    }
  }
  return bits === 0 ? text : text + alphabet.charAt((pending << (6 - bits)) & 63);
}

/**
 * The bytes of a base64url text; undefined for padding, other characters, a length that no bytes have,
 * or bits set behind the last byte (RFC 4648, section 3.5).
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  const bytes: number[] = [];
  let pending = 0;
  let bits = 0;
  for (const character of text) {
    const value = valueOf.get(character);
    if (value === undefined) return undefined;
    pending = ((pending << 6) | value) & 0xfff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((pending >> bits) & 0xff);
    }
  }
  const rest = pending & ((1 << bits) - 1);
  return bits >= 6 || rest !== 0 ? undefined : Uint8Array.from(bytes);
}
