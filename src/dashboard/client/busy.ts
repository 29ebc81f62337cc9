import { useState } from 'preact/hooks';

/** Whether something is under way, and what begins it unless something is. */
export function useBusy(): [
  isBusy: boolean,
  begin: (work: () => Promise<unknown>) => Promise<void>,
] {
  const [isBusy, setBusy] = useState(false);
  const begin = async (work: () => Promise<unknown>): Promise<void> => {
    if (isBusy) return;
    setBusy(true);
    await work();
    setBusy(false);
  };
  return [isBusy, begin];
}
