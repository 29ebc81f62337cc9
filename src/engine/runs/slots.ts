/** How many calls may be in flight: in all, and to one host. */

export interface Slots {
  /** Calls that may still be begun; less than none while slots were taken back. */
  readonly free: number;
  /** Hosts to which no more calls may be begun. */
  fullHosts(): string[];
  /** Takes a slot for a call to this host; false if there is none. */
  take(host: string): boolean;
  /** Gives back a slot that was taken for this host. */
  release(host: string): void;
  /** Takes a slot back that was released too early, though others may have it by now. */
  takeBack(host: string): void;
  /** Resolves when no slot is taken. */
  allReleased(): Promise<void>;
}

/** Makes the slots, all free. */
export function createSlots(limit: number, limitPerHost: number): Slots {
  const takenByHost = new Map<string, number>();
  let taken = 0;
  let waiting: (() => void)[] = [];

  function hold(host: string): void {
    taken += 1;
    takenByHost.set(host, (takenByHost.get(host) ?? 0) + 1);
  }

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
      if (taken >= limit || (takenByHost.get(host) ?? 0) >= limitPerHost) return false;
      hold(host);
      return true;
    },
    takeBack: hold,
    release(host) {
      taken -= 1;
      const left = (takenByHost.get(host) ?? 0) - 1;
      if (left > 0) takenByHost.set(host, left);
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
