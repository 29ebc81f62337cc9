/**
 * UUIDv7 (RFC 9562, section 5.7): the time in milliseconds, a 12-bit counter, 62 random bits. Ids
 * of one process only ever grow, so that sorting by id is sorting by creation, also while the wall
 * clock steps back. The randomness here names things; it decides nothing.
 */

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const randomPool = new Uint8Array(4096);
let randomLeft = 0;
let lastMs = 0;
let counter = 0;

/** A new id; `now` in epoch milliseconds. */
export function newId(now: number): string {
  if (now > lastMs) {
    lastMs = now;
    counter = 0;
  } else if (++counter > 0xfff) {
    lastMs += 1;
    counter = 0;
  }
  const time = lastMs.toString(16).padStart(12, '0');
  const sequence = (0x7000 | counter).toString(16);
  const random = randomHex();
  return `${time.slice(0, 8)}-${time.slice(8)}-${sequence}-${random.slice(0, 4)}-${random.slice(4)}`;
}

/** 16 hex digits: the variant bits `10`, then 62 random bits. */
function randomHex(): string {
  if (randomLeft === 0) {
    crypto.getRandomValues(randomPool);
    randomLeft = randomPool.length;
  }
  randomLeft -= 8;
  let hex = '';
  for (const byte of randomPool.subarray(randomLeft, randomLeft + 8)) {
    hex += hexOf[hex === '' ? (byte & 0x3f) | 0x80 : byte];
  }
  return hex;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of an id (lower case). */
export function isId(text: string): boolean {
  return uuidPattern.test(text);
}
