/** Rows that stay where they are while somebody points at them. */

/** A row of a list: its id, or the number of an entry, stays the same. */
export type Row = { id: string } | { number: number };

/** What tells a row from the others. */
export function nameOf(row: Row): string | number {
  return 'id' in row ? row.id : row.number;
}

/** Rows as they are to be shown, and how many changes of their order wait. */
export interface HeldRows<T> {
  rows: readonly T[];
  waiting: number;
}

/** The rows in their old order with what is known now of each. New ones are only taken at the end; of an empty list, none. */
export function inPlace<T extends Row>(before: readonly T[], after: readonly T[]): HeldRows<T> {
  const known = new Map(after.map((row) => [nameOf(row), row]));
  const old = new Set(before.map(nameOf));
  const isOld = (row: T): boolean => old.has(nameOf(row));
  const lastOld = after.findLastIndex(isOld);
  const stayed = before.map(nameOf).filter((name) => known.has(name));
  const inOrder = after.filter(isOld).map(nameOf);
  const came = before.length === 0 ? after.length : lastOld + 1 - inOrder.length;
  const isMoved = stayed.some((name, index) => name !== inOrder[index]);
  return {
    rows: [
      ...before.map((row) => known.get(nameOf(row)) ?? row),
      ...(before.length === 0 ? [] : after.slice(lastOld + 1)),
    ],
    waiting: came + before.length - stayed.length + (isMoved ? 1 : 0),
  };
}
