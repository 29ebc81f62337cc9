/** Writes compiled time-zone files (TZif), so that tests can change the law. */

/** What a file says: offsets are seconds east of UTC, times are epoch seconds. */
export interface ZoneLaw {
  /** Before the first change. */
  first: number;
  changes?: readonly (readonly [at: number, offset: number])[];
  /** POSIX's TZ for the times after them; none if left out. */
  later?: string;
  leapSeconds?: number;
}

/** A file of version 2, or of version 1, which has no rule for later times. */
export function tzifOf(
  { first, changes = [], later = '', leapSeconds = 0 }: ZoneLaw,
  version = 2,
): Buffer {
  const offsets = [...new Set([first, ...changes.map(([, offset]) => offset)])];
  const block = (timeBytes: 4 | 8): Buffer => {
    const header = Buffer.alloc(44);
    header.write('TZif', 'latin1');
    if (version > 1) header.write(String(version), 4, 'latin1');
    for (const [index, count] of [0, 0, leapSeconds, changes.length, offsets.length, 4].entries()) {
      header.writeUInt32BE(count, 20 + index * 4);
    }
    const times = changes.map(([at]) => {
      const time = Buffer.alloc(timeBytes);
      if (timeBytes === 8) time.writeBigInt64BE(BigInt(at));
      else time.writeInt32BE(at);
      return time;
    });
    const places = Buffer.from(changes.map(([, offset]) => offsets.indexOf(offset)));
    const types = offsets.map((offset) => {
      const type = Buffer.alloc(6);
      type.writeInt32BE(offset);
      return type;
    });
    const leaps = Buffer.alloc(leapSeconds * (timeBytes + 4));
    return Buffer.concat([header, ...times, places, ...types, Buffer.from('XXX\0'), leaps]);
  };
  if (version === 1) return block(4);
  return Buffer.concat([block(4), block(8), Buffer.from(`\n${later}\n`)]);
}
