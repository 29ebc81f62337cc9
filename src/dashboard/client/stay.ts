/** Asks before what was typed is lost. */

import { useEffect } from 'preact/hooks';
import { stayUntil } from '../router.ts';

/** Keeps people on the page while a form of it is changed. */
export function useStay(isChanged: boolean): void {
  useEffect(() => {
    // oxlint-disable-next-line no-alert -- the browser's own question is the only one that holds a step back
    stayUntil(isChanged ? () => confirm('Leave this page? What you changed is not saved.') : null);
    return () => stayUntil(null);
  }, [isChanged]);
}
