/** How wide the columns of a table are on a terminal. */

/** What is known of a column. Widths are columns of the terminal. */
export interface ColumnNeed {
  /** Of its longest cell, the title included. */
  natural: number;
  /** Whether its text may be cut: ids, states, times and numbers may not. */
  canShrink: boolean;
  /** Whether it is left out where there is no room. */
  isOptional: boolean;
}

/** Between two columns. */
export const gap = 2;
/** What is left of a text at least, if it has that much. */
const leastText = 8;

/**
 * The width of each column, 0 for those left out; null if not even that fits. First texts are cut, down to a
 * few letters, then optional columns are left out, the last one first. The longest texts lose the most.
 */
export function fitColumns(needs: readonly ColumnNeed[], width: number): number[] | null {
  let shown = needs.map(() => true);
  const least = ({ natural, canShrink }: ColumnNeed): number =>
    canShrink ? Math.min(natural, leastText) : natural;
  const sum = (of: (need: ColumnNeed) => number): number => {
    const kept = needs.filter((_, index) => shown[index]);
    return kept.reduce((total, need) => total + of(need) + gap, -gap);
  };
  while (sum(least) > width) {
    const last = needs.findLastIndex(({ isOptional }, index) => isOptional && shown[index]);
    if (last === -1) return null;
    shown = shown.with(last, false);
  }
  const widths = needs.map(({ natural }, index) => (shown[index] ? natural : 0));
  for (let excess = sum(({ natural }) => natural) - width; excess > 0; excess -= 1) {
    const widest = needs.reduce((best, { canShrink }, index) => {
      const isWider = canShrink && (widths[index] ?? 0) > (widths[best] ?? 0);
      return isWider ? index : best;
    }, -1);
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}
