/** Suggests a known word for an unknown one. */

/** The known word that is at most `most` edits away, the nearest one; undefined if there is none. */
export function nearest(word: string, known: readonly string[], most = 2): string | undefined {
  const text = word.slice(0, 40).toLowerCase();
  const ranked = known
    .map((name) => ({ name, edits: editsBetween(text, name.toLowerCase()) }))
    .filter(({ name, edits }) => edits <= most && edits < name.length)
    .toSorted((one, other) => one.edits - other.edits);
  return ranked[0]?.name;
}

/** Insertions, deletions and replacements that make one text the other (Levenshtein). */
function editsBetween(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
