/**
 * UUIDv7 (RFC 9562, section 5.7): the time in milliseconds, a 12-bit counter, 62 random bits. Ids
 * of one process only ever grow, so that sorting by id is sorting by creation, also while the wall
 * clock steps back. The randomness here names things; it decides nothing.
 */

const digits = new TextEncoder().encode('0123456789abcdef');
/** Used again for each id. One buffer gives a flat string; of a string that is joined, each use copies the pieces. */
const idBytes = Buffer.alloc(36, '-');
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
  putHex(0, 8, Math.floor(lastMs / 0x1_0000));
  putHex(9, 4, lastMs & 0xffff);
  putHex(14, 4, 0x7000 | counter);
  putHex(19, 4, 0x8000 | ((randomByte() & 0x3f) << 8) | randomByte());
  for (let at = 24; at < idBytes.length; at += 2) putHex(at, 2, randomByte());
  return idBytes.toString('latin1');
}

/** Writes the last `length` hex digits of a number below 2^32. */
function putHex(at: number, length: number, value: number): void {
  for (let left = length, rest = value; left > 0; left -= 1, rest >>>= 4) {
    idBytes[at + left - 1] = digits[rest & 0xf] ?? 0;
  }
}

function randomByte(): number {
  if (randomLeft === 0) {
    crypto.getRandomValues(randomPool);
    randomLeft = randomPool.length;
  }
  randomLeft -= 1;
  return randomPool[randomLeft] ?? 0;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of an id (lower case). */
export function isId(text: string): boolean {
  return uuidPattern.test(text);
}
