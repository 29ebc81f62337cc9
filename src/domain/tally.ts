/** Counts, by key, what has begun and not ended. Returns the count; a key without any is left out, so the map has the size of what is under way. */
export function tally(counts: Map<string, number>, key: string, change: 1 | -1): number {
  const count = (counts.get(key) ?? 0) + change;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
  return count;
}
