/** A walk through all of something, in the order of their ids and in steps that leave room for other work. */

/** Looked at in one step: some milliseconds. */
const itemsPerStep = 500;
/** Between steps, so that calls and requests come first. */
const restMs = 5;

export interface Walk {
  /** Begins with the first again. */
  readonly restart: () => void;
  /** Looks at some. Returns how long to rest, and how many it changed. */
  step(): Promise<{ restMs: number; changed: number }>;
}

/** What is looked at in a step: items after an id. */
export interface Stretch {
  afterId: string;
  limit: number;
}

/** Makes a walk that has all before it; `visit` returns what it saw, and how much of that it changed. */
export function createWalk(
  visit: (stretch: Stretch) => Promise<{ seen: readonly { id: string }[]; changed: number }>,
): Walk {
  /** Where to go on; null when all have been looked at. */
  let position: { afterId: string } | null = { afterId: '' };
  return {
    restart() {
      position = { afterId: '' };
    },
    async step() {
      const from = position;
      if (from === null) return { restMs: Infinity, changed: 0 };
      const { seen, changed } = await visit({ ...from, limit: itemsPerStep });
      // Unless it was to begin again meanwhile.
      if (position === from) position = nextPosition(seen);
      return { restMs, changed };
    },
  };
}

function nextPosition(seen: readonly { id: string }[]): { afterId: string } | null {
  const last = seen.length < itemsPerStep ? undefined : seen.at(-1);
  return last === undefined ? null : { afterId: last.id };
}
