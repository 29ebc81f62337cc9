/** A map that keeps what was set last, up to a number, and forgets what was not set for the longest time. */

export interface Recent<Value> {
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** Makes an empty one that keeps `most` values. */
export function createRecent<Value>(most: number): Recent<Value> {
  const values = new Map<string, Value>();

  function forgetOldest(): void {
    for (const oldest of values.keys()) {
      values.delete(oldest);
      break;
    }
  }

  return {
    get: (key) => values.get(key),
    set(key, value) {
      values.delete(key);
      values.set(key, value);
      if (values.size > most) forgetOldest();
    },
    delete: (key) => void values.delete(key),
  };
}
