/**
 * Reads compiled time-zone files (TZif, RFC 9636), as every Unix system has them. A file is a header, a block with 32-bit
 * times, and since version 2 a second header, the same with 64-bit times, and a rule for the times after the last change.
 * The work grows with the size of the file.
 */

import { parsePosixZone } from './posix-zone.ts';

/** The offset of a zone, local minus UTC, at an instant. All are whole minutes, instants since 1970 UTC; seconds are rounded down. */
export type OffsetAt = (minute: number) => number;

/** No file of the time-zone database has more than some thousand bytes. */
export const maxTzifBytes = 64 * 1024;

const headerBytes = 44;
/** No clock is further from UTC: the limit of RFC 9636, section 3.2. */
const maxOffsetSeconds = 26 * 3600;

/** Reads a file. Throws RangeError if it is none, or one that counts leap seconds. */
export function readTzif(bytes: Uint8Array): OffsetAt {
  if (bytes.length > maxTzifBytes) throw new RangeError('the file is too large');
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const first = readHeader(view, 0, 4);
  if (first.version === 0) return offsetsOf(readBlock(view, first), null);
  const block = readHeader(view, first.end, 8);
  const text = Buffer.from(bytes.subarray(block.end)).toString('latin1');
  const rule = /^\n([^\n]*)\n/.exec(text)?.[1];
  if (rule === undefined) throw new RangeError('the file is cut off');
  return offsetsOf(readBlock(view, block), rule === '' ? null : parsePosixZone(rule));
}

/** Where a block is, and how much is in it. */
interface Header {
  version: number;
  timeBytes: 4 | 8;
  start: number;
  end: number;
  changes: number;
  types: number;
}

function readHeader(view: DataView, at: number, timeBytes: 4 | 8): Header {
  if (view.byteLength < at + headerBytes || view.getUint32(at) !== 0x54_5a_69_66) {
    throw new RangeError('the file is not compiled time-zone data');
  }
  const [isUtc, isStandard, leaps, changes, types, letters] = [20, 24, 28, 32, 36, 40].map(
    (place) => view.getUint32(at + place),
  ) as [number, number, number, number, number, number];
  if (leaps > 0) throw new RangeError('the file counts leap seconds');
  const start = at + headerBytes;
  const end = start + changes * (timeBytes + 1) + types * 6 + letters + isStandard + isUtc;
  if (types === 0 || end > view.byteLength) throw new RangeError('the file is cut off');
  return { version: view.getUint8(at + 4), timeBytes, start, end, changes, types };
}

/** When offsets change (seconds since 1970), and the offsets (seconds): one more than changes, the first before all of them. */
interface Block {
  changes: number[];
  offsets: number[];
}

function readBlock(view: DataView, { start, timeBytes, changes, types }: Header): Block {
  const places = start + changes * timeBytes;
  const offsetOf = (type: number): number => {
    if (type >= types) throw new RangeError('the file names a type that it does not have');
    const offset = view.getInt32(places + changes + type * 6);
    if (Math.abs(offset) > maxOffsetSeconds) throw new RangeError('an offset is too large');
    return offset;
  };
  const block: Block = { changes: [], offsets: [offsetOf(0)] };
  for (let index = 0; index < changes; index += 1) {
    const at = start + index * timeBytes;
    const change = timeBytes === 8 ? Number(view.getBigInt64(at)) : view.getInt32(at);
    if (change <= (block.changes.at(-1) ?? -Infinity))
      throw new RangeError('times are not in order');
    block.changes.push(change);
    block.offsets.push(offsetOf(view.getUint8(places + index)));
  }
  return block;
}

/** `later`: what holds after the last change. */
function offsetsOf(
  { changes, offsets }: Block,
  later: ((second: number) => number) | null,
): OffsetAt {
  const last = changes.at(-1) ?? -Infinity;
  return (minute) => {
    const second = minute * 60;
    const offset =
      later !== null && second >= last ? later(second) : (offsets[countUpTo(changes, second)] ?? 0);
    return Math.floor(offset / 60);
  };
}

/** How many of these times, in order, are not after `second`. */
function countUpTo(changes: readonly number[], second: number): number {
  let least = 0;
  let most = changes.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if ((changes[middle] ?? 0) <= second) least = middle + 1;
    else most = middle;
  }
  return least;
}
