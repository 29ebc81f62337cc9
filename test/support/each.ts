/** What each of these has there; of several names, the values together. */
export function each<T, K extends keyof T>(all: readonly T[], name: K): T[K][];
export function each<T, K extends readonly (keyof T)[]>(
  all: readonly T[],
  ...names: K
): { [I in keyof K]: T[K[I]] }[];
export function each<T>(all: readonly T[], ...names: (keyof T)[]): unknown[] {
  const [only] = names;
  if (only !== undefined && names.length === 1) return all.map((one) => one[only]);
  return all.map((one) => names.map((name) => one[name]));
}
