/** Signing in: with a key, or by a link that `jobd open` printed. */

import { useEffect, useRef, useState } from 'preact/hooks';
import type { TargetedSubmitEvent } from 'preact';
import { linkCode } from '../link.ts';
import { Brand } from '../parts/brand.tsx';
import { Copyable } from '../parts/copyable.tsx';
import { Heading } from '../parts/heading.tsx';
import { Problem } from '../parts/problem.tsx';
import { Outside } from '../parts/outside.tsx';
import { notice, signIn } from '../session.ts';
import type { Session } from '../../api/accounts/session-contract.ts';
import { useTitle } from '../parts/title.ts';

/** The page. `current` is who is signed in when somebody comes by a link. */
export function SignInPage({ current }: { current: Session | null }) {
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  useTitle('Sign in');
  const tryWith = async (proof: { key: string } | { code: string }): Promise<void> => {
    setBusy(true);
    setProblem(await signIn(proof));
    setBusy(false);
  };
  const useLink = async (code: string): Promise<void> => {
    await tryWith({ code });
    linkCode.value = null;
  };
  const code = linkCode.value;
  useEffect(() => {
    if (code !== null && current === null) void useLink(code);
  }, [code, current]);
  return (
    <main class="narrow">
      <Brand />
      {code !== null && current !== null ? (
        <ChangeSession current={current} isBusy={isBusy} onUse={() => void useLink(code)} />
      ) : (
        <>
          <h1>Sign in</h1>
          {notice.value !== null && problem === null && <output>{notice}</output>}
          <KeyForm isBusy={isBusy} problem={problem} onKey={(key) => void tryWith({ key })} />
          <FirstTime />
        </>
      )}
    </main>
  );
}

/** Asks first: another's link must not silently change whose jobs this browser shows. */
function ChangeSession({
  current,
  isBusy,
  onUse,
}: {
  current: Session;
  isBusy: boolean;
  onUse: () => void;
}) {
  return (
    <>
      <Heading>Use this link?</Heading>
      <p>
        You are signed in to <Outside text={current.workspace.name} />. The link signs you in again,
        perhaps to another workspace. Use it only if you asked for it.
      </p>
      <p class="actions">
        <button type="button" class="main" disabled={isBusy} onClick={onUse}>
          Use the link
        </button>
        <button type="button" disabled={isBusy} onClick={() => (linkCode.value = null)}>
          Stay signed in as you are
        </button>
      </p>
    </>
  );
}

function KeyForm({
  isBusy,
  problem,
  onKey,
}: {
  isBusy: boolean;
  problem: string | null;
  onKey: (key: string) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), [problem]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (!isBusy) onKey(input.current?.value.trim() ?? '');
  };
  return (
    <form onSubmit={submit}>
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
      {problem !== null && <Problem id="problem" text={problem} />}
    </form>
  );
}

function FirstTime() {
  return (
    <section class="aside" aria-labelledby="first-time">
      <h2 id="first-time">First time here?</h2>
      <p>Run this on the server. It prints a link that signs you in:</p>
      <Copyable text="sudo -u jobd jobd open" />
      <p class="quiet">
        Not installed as a service? Then it is <code>jobd open</code>, as the user who runs{' '}
        <code>jobd serve</code>.
      </p>
    </section>
  );
}
