/** Ctrl-C, for commands that wait: it ends the wait and not the process. */

/** Aborts at the first SIGINT; a second one ends the process as usual. Disposing lets go of the signal. */
export function catchInterrupt(): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const onInterrupt = (): void => controller.abort();
  process.once('SIGINT', onInterrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => void process.off('SIGINT', onInterrupt),
  };
}
