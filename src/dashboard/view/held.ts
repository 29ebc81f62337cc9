/** Rows that stay where they are while somebody points at them. */

/** Rows as they are to be shown, and how many changes of their order wait. */
export interface HeldRows<T> {
  rows: readonly T[];
  waiting: number;
}

/** The rows in their old order with what is known now of each. New ones are only taken at the end. */
export function inPlace<T extends { id: string }>(
  before: readonly T[],
  after: readonly T[],
): HeldRows<T> {
  if (before.length === 0) return { rows: after, waiting: 0 };
  const known = new Map(after.map((row) => [row.id, row]));
  const old = new Set(before.map(({ id }) => id));
  const lastOld = after.findLastIndex(({ id }) => old.has(id));
  const stayed = before.filter(({ id }) => known.has(id));
  const inOrder = after.filter(({ id }) => old.has(id));
  const came = after.slice(0, lastOld + 1).length - inOrder.length;
  const isMoved = stayed.some(({ id }, index) => id !== inOrder[index]?.id);
  return {
    rows: [...before.map((row) => known.get(row.id) ?? row), ...after.slice(lastOld + 1)],
    waiting: came + before.length - stayed.length + (isMoved ? 1 : 0),
  };
}
