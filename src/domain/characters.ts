/** Lengths of texts count characters: Unicode code points, as the limits of the API do. */

/** How many characters a text has. */
export function characterCount(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
