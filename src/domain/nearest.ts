/** The known word that is at most `most` edits away, one if it has fewer than five letters, the nearest one; undefined if there is none. */
export function nearest(word: string, known: readonly string[], most = 2): string | undefined {
  const text = word.slice(0, 40).toLowerCase();
  let found: string | undefined;
  let left = most;
  for (const name of known) {
    const edits = editsBetween(
      text,
      name.toLowerCase(),
      Math.min(left, name.length < 5 ? 1 : left, name.length - 1),
    );
    if (edits === null) continue;
    found = name;
    left = edits - 1;
  }
  return found;
}

/**
 * Insertions, deletions, replacements and swaps of neighbours that make one text the other (optimal string alignment); null if
 * they are more than `most`. Most words are told apart by their length or their first letters.
 */
function editsBetween(one: string, other: string, most: number): number | null {
  if (most < Math.abs(one.length - other.length)) return null;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  let before = row;
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const isSwap = i > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : Infinity;
      const edits = Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(edits);
      least = Math.min(least, edits);
    }
    // A swap may still cost less than the row before.
    if (least > most + 1) return null;
    [before, row] = [row, next];
  }
  const edits = row.at(-1) ?? 0;
  return edits > most ? null : edits;
}
