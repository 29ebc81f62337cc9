/** Signing in: with a key, or by a link that `jobd open` printed; and again, over a page whose session has ended. */

import { useEffect, useRef, useState } from 'preact/hooks';
import { useBusy } from '../client/busy.ts';
import type { TargetedSubmitEvent } from 'preact';
import { linkCode } from '../client/link.ts';
import { isCutOff } from '../view/sign-in-code.ts';
import { Brand } from '../parts/frame.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Heading } from '../parts/heading.tsx';
import { Button, Problem, Outside } from '../parts/basic.tsx';
import { addressOf } from '../router.ts';
import { notice, signIn, leave, signedIn, type Refusal } from '../client/session.ts';
import type { Session } from '../../api/accounts/session-contract.ts';
import { Dialog } from '../parts/dialogs.tsx';

/** The page. `current` is who is signed in when somebody comes by a link. */
export function SignInPage({ current }: { current: Session | null }) {
  const [failed, setFailed] = useState<Failed | null>(null);
  const [isBusy, begin] = useBusy();
  const tryKey = (key: string): Promise<void> =>
    begin(async () => {
      const failure = await signIn({ key });
      setFailed(failure && { ...failure, code: null });
    });
  // Who is signed in stays on this page to read why the link failed.
  const tryLink = (code: string, isSignedIn: boolean): Promise<void> =>
    begin(async () => {
      const failure = isCutOff(code) ? incomplete : await signIn({ code });
      setFailed(failure && { ...failure, code });
      if (failure === null || !isSignedIn) linkCode.value = null;
    });
  const code = linkCode.value;
  const isSignedIn = current !== null;
  useEffect(() => {
    if (code !== null && (!isSignedIn || isCutOff(code))) void tryLink(code, isSignedIn);
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- a code is tried once
  }, [code, isSignedIn]);
  const isOfKey = failed?.code === null && failed.isRefused;
  return (
    <main class="narrow">
      <Brand />
      {code !== null && current !== null ? (
        <ChangeSession
          current={current}
          isBusy={isBusy}
          failure={failed?.code === code ? failed : null}
          onUse={() => void tryLink(code, isSignedIn)}
        />
      ) : (
        <>
          <Heading title="Sign in" />
          {notice.value !== null && failed === null && <output>{notice}</output>}
          {failed !== null && !isOfKey && <Problem text={sentenceFor(failed)} />}
          <KeyForm
            isBusy={isBusy}
            problem={isOfKey ? failed.error : null}
            onKey={(key) => void tryKey(key)}
          />
          <FirstTime />
        </>
      )}
    </main>
  );
}

/** Why the last attempt failed, and the code it was made with; null for a key. */
interface Failed extends Refusal {
  code: string | null;
}

const incomplete: Refusal = { error: 'This link is incomplete.', isRefused: true };
const used = 'This link was already used, or has expired. Make a new one with the command below.';

/** Here the command that makes a link is on the same page. */
function sentenceFor({ code, error, isRefused }: Failed): string {
  return code !== null && isRefused && !isCutOff(code) ? used : error;
}

interface ChangeProps {
  current: Session;
  isBusy: boolean;
  failure: Refusal | null;
  onUse: () => void;
}

/** Asks first: another's link must not silently change whose jobs this browser shows. */
function ChangeSession({ current, isBusy, failure, onUse }: ChangeProps) {
  const isRefused = failure?.isRefused === true;
  return (
    <>
      <Heading title={isRefused ? 'This link does not work' : 'Use this link?'} />
      <p>
        You are signed in to <Outside text={current.workspace.name} />.{' '}
        {!isRefused &&
          'The link signs you in again, perhaps to another workspace. Use it only if you asked for it.'}
      </p>
      {failure !== null && <Problem text={failure.error} />}
      <p class="actions">
        {!isRefused && (
          <Button class="main" disabled={isBusy} onClick={onUse}>
            Use the link
          </Button>
        )}
        <Button disabled={isBusy} onClick={() => (linkCode.value = null)}>
          Stay signed in as you are
        </Button>
      </p>
    </>
  );
}

interface KeyFormProps {
  isBusy: boolean;
  problem: string | null;
  onKey: (key: string) => void;
}

function KeyForm({ isBusy, problem, onKey }: KeyFormProps) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [problem]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isBusy) onKey(input.current?.value.trim() ?? '');
  };
  return (
    <form onSubmit={submit}>
      <div>
        <label htmlFor="key">API key</label>
        <div class="field">
          <input
            ref={input}
            id="key"
            type="password"
            required
            autocomplete="current-password"
            spellcheck={false}
            aria-invalid={problem !== null}
            aria-describedby={problem === null ? undefined : 'problem'}
          />
          <button type="submit" class="main" aria-disabled={isBusy}>
            {isBusy ? 'Signing in…' : 'Sign in'}
          </button>
        </div>
      </div>
      {problem !== null && <Problem id="problem" text={problem} />}
    </form>
  );
}

function FirstTime() {
  return (
    <section class="stack aside" aria-labelledby="first-time">
      <h2 id="first-time">First time here?</h2>
      <p>Run this on the server. It prints a link that signs you in:</p>
      <Copyable text="sudo jobd open" />
      <p class="quiet">
        Not installed as a service? Then it is <code>jobd open</code>, as the user who runs{' '}
        <code>jobd serve</code>, with the same <code>--data</code>, if you gave one.
      </p>
      <p class="quiet">
        The <a href={addressOf('/docs')}>API reference</a> is open to everybody.
      </p>
    </section>
  );
}

/** The dialog over the page. */
export function SignInAgain() {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, begin] = useBusy();
  const tryKey = (key: string): Promise<void> =>
    begin(async () => setProblem((await signIn({ key }))?.error ?? null));
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
        <Button onClick={() => leave('You are signed out.')}>Leave this page</Button>
      </p>
    </Dialog>
  );
}
