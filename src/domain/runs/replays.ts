/** Replays as every face tells and orders them (docs/behavior.md#replay-1). */

/** How a server says that a due time that has succeeded can be called again; each face has its own words for it. */
export const againRemedy = 'send "again": true to call it anyway';

/** The first due time of each job, then the second one of each, and so on: a job is called by hand once a minute. */
export function inTurns<One>(all: readonly One[], jobOf: (one: One) => string): One[] {
  const counts = new Map<string, number>();
  const turns = all.map((one) => {
    const turn = counts.get(jobOf(one)) ?? 0;
    counts.set(jobOf(one), turn + 1);
    return { turn, one };
  });
  return turns.toSorted((one, other) => one.turn - other.turn).map(({ one }) => one);
}
