/** Slots: how many calls may be in flight, in all and to one host. */

export interface Slots {
  /** Free slots; negative while runs of a failed commit hold slots as well. */
  readonly free: number;
  /** Hosts without a free slot. */
  fullHosts(): string[];
  isFull(host: string): boolean;
  /** Takes a slot of this host; false if none is free. */
  take(host: string): boolean;
  /** Takes a slot of this host even if none is free. */
  hold(host: string): void;
  /** Gives back a slot of this host. */
  release(host: string): void;
  /** A copy to plan with: what is taken there is not taken here. */
  copy(): Slots;
  /** Resolves when no slot is taken. */
  allReleased(): Promise<void>;
}

/** Makes slots. `inUse` counts the taken ones by host. */
export function createSlots(
  limit: number,
  limitPerHost: number,
  inUse: ReadonlyMap<string, number> = new Map(),
): Slots {
  const takenByHost = new Map(inUse);
  let taken = inUse.values().reduce((sum, count) => sum + count, 0);
  let allReleased = Promise.withResolvers<void>();

  const slots: Slots = {
    get free() {
      return limit - taken;
    },
    fullHosts: () =>
      takenByHost
        .entries()
        .filter(([, count]) => count >= limitPerHost)
        .map(([host]) => host)
        .toArray(),
    isFull: (host) => (takenByHost.get(host) ?? 0) >= limitPerHost,
    take(host) {
      if (taken >= limit || slots.isFull(host)) return false;
      slots.hold(host);
      return true;
    },
    hold(host) {
      taken += 1;
      takenByHost.set(host, (takenByHost.get(host) ?? 0) + 1);
    },
    release(host) {
      taken -= 1;
      const left = (takenByHost.get(host) ?? 0) - 1;
      if (left > 0) takenByHost.set(host, left);
      else takenByHost.delete(host);
      if (taken > 0) return;
      allReleased.resolve();
      allReleased = Promise.withResolvers();
    },
    copy: () => createSlots(limit, limitPerHost, takenByHost),
    async allReleased() {
      if (taken > 0) await allReleased.promise;
    },
  };
  return slots;
}
