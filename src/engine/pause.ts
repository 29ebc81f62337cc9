/** A pause in which what comes is gathered. Its time is the event loop's, as that of a loop's rest is. */

export interface Pause {
  readonly isOn: boolean;
  /** Begins it, or begins it anew. */
  begin(ms: number): void;
}

/** Makes a pause that is not on; `onOver` is called when one is over. */
export function createPause(onOver: () => void): Pause {
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    timer = undefined;
    onOver();
  };
  return {
    get isOn() {
      return timer !== undefined;
    },
    begin(ms) {
      clearTimeout(timer);
      timer = setTimeout(end, ms).unref();
    },
  };
}
