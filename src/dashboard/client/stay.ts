import { useLayoutEffect } from 'preact/hooks';
import { stayUntil } from '../router.ts';

/** Why somebody stays while a secret is shown. */
export const secretIsLost = 'Leave this page? The signing secret is never shown again.';

/** Keeps people on the page while something of it would be lost; `question` asks whether to leave. */
export function useStay(
  isChanged: boolean,
  question = 'Leave this page? What you changed is not saved.',
): void {
  useLayoutEffect(() => {
    // oxlint-disable-next-line no-alert -- the browser's own question is the only one that holds a step back
    stayUntil(isChanged ? () => confirm(question) : null);
    return () => stayUntil(null);
  }, [isChanged, question]);
}
