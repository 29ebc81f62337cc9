/** Base64url (RFC 4648, section 5) without padding: exactly one text for each sequence of bytes. */

/** Bytes as base64url. */
export function toBase64url(bytes: Uint8Array): string {
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
  return text
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/(?<!=)=+$/, '');
}

/**
 * The bytes of a base64url text; undefined for padding, other characters, an impossible length, or bits set after the
 * last byte (RFC 4648, section 3.5).
 */
export function fromBase64url(text: string): Uint8Array | undefined {
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return undefined;
  const decoded = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  return toBase64url(bytes) === text ? bytes : undefined;
}
