/** What a badge says (docs/behavior.md#badge-1). */

/** How many jobs and monitors are in each state; paused ones are in no other one. */
export type Counts = Record<'up' | 'down' | 'new' | 'paused', number>;

const colours = {
  good: { name: 'brightgreen', code: '#28783a' },
  bad: { name: 'red', code: '#b8322a' },
  unknown: { name: 'lightgrey', code: '#6a6f76' },
} as const;

export interface Said {
  message: string;
  /** As shields.io names it, and in hexadecimal. */
  colour: (typeof colours)[keyof typeof colours];
  /** Whether anything is down. */
  isError: boolean;
}

/** Says it. What is paused, or has no result yet, is neither up nor down, and is not counted. */
export function said({ up, down, new: fresh, paused }: Counts): Said {
  const all = up + down;
  if (all === 0) {
    const message = paused > 0 && fresh === 0 ? 'paused' : 'no results';
    return { message, colour: colours.unknown, isError: false };
  }
  if (down === 0) return { message: 'up', colour: colours.good, isError: false };
  const message = all === 1 ? 'down' : `${down} of ${all} down`;
  return { message, colour: colours.bad, isError: true };
}
