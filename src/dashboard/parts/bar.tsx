/** The top of every page: where this is, and the way out. */

import { useState } from 'preact/hooks';
import { signOut } from '../client/session.ts';
import type { Session } from '../../api/accounts/session-contract.ts';
import { Brand } from './brand.tsx';
import { Problem } from './problem.tsx';

/** The bar. */
export function Bar({ session }: { session: Session }) {
  const [problem, setProblem] = useState<string | null>(null);
  const leave = async (): Promise<void> => setProblem(await signOut(session));
  return (
    <header class="bar">
      <Brand />
      <button type="button" onClick={() => void leave()}>
        Sign out
      </button>
      {problem !== null && <Problem text={problem} />}
    </header>
  );
}
