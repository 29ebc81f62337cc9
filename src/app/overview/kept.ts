/** What was found out is good for a while, so that many who ask cost no more than one. */

/** Something that was found out, and until when it is good, by the monotonic clock. */
export interface Kept<T> {
  until: number;
  value: T;
}

/** What is kept under a name and still good. What is no longer good is forgotten. */
export function stillGood<T>(kept: Map<string, Kept<T>>, name: string, at: number): T | undefined {
  for (const [each, { until }] of kept) if (until <= at) kept.delete(each);
  return kept.get(name)?.value;
}

/** The same, found out if it is not there. A failure is for those who asked, not for those who ask next. */
export async function keptIn<T>(
  kept: Map<string, Kept<Promise<T>>>,
  name: string,
  at: number,
  goodForMs: number,
  find: () => Promise<T>,
): Promise<T> {
  const known = stillGood(kept, name, at);
  if (known !== undefined) return await known;
  const value = find();
  kept.set(name, { until: at + goodForMs, value });
  value.catch(() => kept.delete(name));
  return await value;
}
