/** How many calls may be in flight: in all, and to one host. */

export interface Slots {
  /** Calls that may still be begun. */
  readonly free: number;
  /** Hosts to which no more calls may be begun. */
  fullHosts(): string[];
  /** Takes a slot for a call to this host; false if there is none. */
  take(host: string): boolean;
  /** Gives back a slot that was taken for this host. */
  release(host: string): void;
  /** Resolves when no slot is taken. */
  allReleased(): Promise<void>;
}

/** Makes the slots, all free. */
export function createSlots(limit: number, limitPerHost: number): Slots {
  const takenByHost = new Map<string, number>();
  let taken = 0;
  let waiting: (() => void)[] = [];

  return {
    get free() {
      return limit - taken;
    },
    fullHosts: () =>
      takenByHost
        .entries()
        .filter(([, count]) => count >= limitPerHost)
        .map(([host]) => host)
        .toArray(),
    take(host) {
      const count = takenByHost.get(host) ?? 0;
      if (taken >= limit || count >= limitPerHost) return false;
      taken += 1;
      takenByHost.set(host, count + 1);
      return true;
    },
    release(host) {
      taken -= 1;
      const count = (takenByHost.get(host) ?? 0) - 1;
      if (count > 0) takenByHost.set(host, count);
      else takenByHost.delete(host);
      if (taken > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    allReleased: () =>
      taken === 0
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting.push(resolve);
          }),
  };
}
