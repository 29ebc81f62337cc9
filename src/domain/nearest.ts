/** Suggests a known word for an unknown one. */

/** The known word that is at most `most` edits away, the nearest one; undefined if there is none. */
export function nearest(word: string, known: readonly string[], most = 2): string | undefined {
  const text = word.slice(0, 40).toLowerCase();
  let found: string | undefined;
  let left = most;
  for (const name of known) {
    const edits = editsBetween(text, name.toLowerCase(), Math.min(left, name.length - 1));
    if (edits === null) continue;
    found = name;
    left = edits - 1;
  }
  return found;
}

/**
 * Insertions, deletions and replacements that make one text the other (Levenshtein); null if they are more than `most`. Most words
 * are told apart by their length or their first letters.
 */
function editsBetween(one: string, other: string, most: number): number | null {
  if (most < Math.abs(one.length - other.length)) return null;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    let least = i;
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      const edits = Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return null;
    row = next;
  }
  const edits = row.at(-1) ?? 0;
  return edits > most ? null : edits;
}
