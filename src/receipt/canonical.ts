/**
 * Canonical JSON (RFC 8785): no white space, members sorted by the UTF-16 code units of their names, strings and numbers
 * as ECMAScript writes them. The same data always give the same bytes.
 */

const encoder = new TextEncoder();

/** The canonical text of a value. Throws TypeError for a value that JSON cannot represent. */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) {
    return `[${Array.from(value, (item) => canonicalJson(item)).join(',')}]`;
  }
  if (Object.prototype.toString.call(value) !== '[object Object]') {
    throw new TypeError(`JSON has no form of this ${typeof value}`);
  }
  const object = value as Record<string, unknown>;
  // oxlint-disable-next-line no-array-sort -- toSorted is unknown to Node 18
  const names = Object.keys(object).sort();
  return `{${names.map((name) => `${quoted(name)}:${canonicalJson(object[name])}`).join(',')}}`;
}

/** The same in UTF-8, as it is signed and hashed. */
export function canonicalBytes(value: unknown): Uint8Array {
  return encoder.encode(canonicalJson(value));
}

function quoted(text: string): string {
  // Text that is not Unicode has no canonical form (RFC 8785, section 3.2.2.2).
  if (hasLoneSurrogate(text)) throw new TypeError('text with half a surrogate pair is not Unicode');
  return JSON.stringify(text);
}

/** Made once: where it is used, the bundle would make it again for each text. */
const loneSurrogate = /\p{Surrogate}/u;

/** Whether a text holds one half of a surrogate pair without the other. */
export function hasLoneSurrogate(text: string): boolean {
  return loneSurrogate.test(text);
}
