/** Decides what is shown, by the address and by who is signed in. */

import { useEffect } from 'preact/hooks';
import { linkCode } from '../client/link.ts';
import { go, path } from '../router.ts';
import { Brand } from '../parts/brand.tsx';
import { Problem } from '../parts/problem.tsx';
import { loadSession, notice, session } from '../client/session.ts';
import { HomePage } from './home.tsx';
import { SignInPage } from './sign-in.tsx';

/** The whole page. */
export function Page() {
  const who = session.value;
  const isSignIn = who === null || linkCode.value !== null;
  const right = isSignIn ? '/sign-in' : '/';
  useEffect(() => {
    if (who !== 'unknown' && path.value !== right) go(right, { replace: true });
  }, [who, right]);
  if (who === 'unknown') return <UnknownPage />;
  return who === null || isSignIn ? <SignInPage current={who} /> : <HomePage session={who} />;
}

/** Before the server has said who is signed in. */
function UnknownPage() {
  if (notice.value === null) return <p class="waiting">Waiting for jobd…</p>;
  return (
    <main class="narrow">
      <Brand />
      <Problem text={notice.value} />
      <p class="actions">
        <button type="button" onClick={() => void loadSession()}>
          Try again
        </button>
      </p>
    </main>
  );
}
