/**
 * UUIDv7 (RFC 9562, section 5.7): the time in milliseconds, a 12-bit counter, 62 random bits. The ids of one process
 * always grow, even while the wall clock steps back, so sorting by id is sorting by creation.
 */

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
  const time = Math.floor(lastMs).toString(16).padStart(12, '0');
  const count = counter.toString(16).padStart(3, '0');
  // A random UUID has its variant and 62 random bits in the last two groups.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${crypto.randomUUID().slice(19)}`;
}

/** A new id of a span: 64 random bits in hexadecimal (W3C Trace Context, section 3.2.2.4). */
export function newSpanId(): string {
  const random = crypto.randomUUID();
  return random.slice(0, 8) + random.slice(-8);
}

/** When an id was made, in epoch milliseconds. */
export function timeOfId(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Sorts before every id that is made at an instant (epoch milliseconds) or later, and after every earlier one. */
export function firstIdAt(at: number): string {
  const time = Math.max(0, Math.floor(at)).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Whether a text has the form of an id (lower case). */
export function isId(text: string): boolean {
  return uuidPattern.test(text);
}
