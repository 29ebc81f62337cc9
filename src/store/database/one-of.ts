/**
 * The condition that a column has one of these values, as comparisons. For a list of three or more, SQLite would build a
 * table in memory each time a statement runs, also for the condition of an index.
 */
export function oneOf(column: string, ...values: readonly string[]): string {
  return `(${values.map((value) => `${column} = '${value}'`).join(' or ')})`;
}

/** A run that was no success: the condition of its indexes, which queries must say in the same words. */
export const isBadText = oneOf('status', 'failed', 'interrupted', 'missed');
