/** The session has ended while its page is shown: signing in again keeps what was typed. */

import { useState } from 'preact/hooks';
import { leave, signedIn, signIn } from '../client/session/session.ts';
import { Copyable } from '../parts/copyable.tsx';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { KeyForm } from './sign-in.tsx';

/** The dialog over the page. */
export function SignInAgain() {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const tryKey = async (key: string): Promise<void> => {
    setBusy(true);
    const refusal = await signIn({ key });
    setProblem(refusal?.error ?? null);
    setBusy(false);
  };
  const isOwner = signedIn.value?.isOwner === true;
  return (
    <Dialog title="Your session has ended" isOpaque>
      {isOwner ? (
        <>
          <p>
            Run this on the server, and open its link in another tab of this browser. This page goes
            on then, with what you typed.
          </p>
          <Copyable text="sudo jobd open" />
          <p class="quiet">
            A key signs you in, too, but not as the owner: this page begins again.
          </p>
        </>
      ) : (
        <p>Sign in again. What you typed on this page stays.</p>
      )}
      <KeyForm isBusy={isBusy} problem={problem} onKey={(key) => void tryKey(key)} />
      {!isOwner && (
        <p class="quiet">
          You came by a link? Open a new one of <code>jobd open</code> in another tab of this
          browser.
        </p>
      )}
      <p class="actions">
        <button type="button" onClick={() => leave('You are signed out.')}>
          Leave this page
        </button>
      </p>
    </Dialog>
  );
}
