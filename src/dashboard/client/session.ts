/** Who is signed in: the one truth of this tab. Other tabs of the same jobd hear when it changes. */

import { signal } from '@preact/signals';
import type { Session } from '../../api/accounts/session-contract.ts';
import { ask } from './api.ts';
import type { Answer } from './api.ts';
import { root } from '../router.ts';

interface SessionBody {
  session: Session;
}

/** `unknown` until the server was asked; null when nobody is signed in. */
export const session = signal<Session | null | 'unknown'>('unknown');
/** Why there is no session, or why nobody knows; null if there is nothing to say. */
export const notice = signal<string | null>(null);

/** Why nobody was signed in. */
export interface Failure {
  /** A sentence for people. */
  error: string;
  /** Whether the key or code itself was refused. */
  isRefused: boolean;
}

const ended = 'Your session has ended. Sign in again.';
const endedInOtherTab = 'You signed out in another tab.';
const notKept =
  'Your browser did not keep the session. Open jobd at the address it was set up for (https), and allow cookies.';
const tabs = new BroadcastChannel(`jobd ${root}`);

/** Asks the server who is signed in. `whyEnded` is what to say if that has ended. */
export async function loadSession(whyEnded = ended): Promise<void> {
  noteAnswer(await ask<SessionBody>('GET', '/session'), whyEnded);
}

/** Signs in with a key, or with the code of a link. Returns why it failed; null if it did not. */
export async function signIn(proof: { key: string } | { code: string }): Promise<Failure | null> {
  const answer = await ask<SessionBody>('POST', '/session', { body: proof });
  if (!answer.ok) return { error: answer.error, isRefused: answer.status === 401 };
  // A browser drops a cookie that is `Secure` if it came over plain http.
  const kept = await ask('GET', '/session');
  if (!kept.ok && kept.status === 401) return { error: notKept, isRefused: false };
  noteAnswer(answer);
  tabs.postMessage('changed');
  return null;
}

/** Signs out. Returns why it failed; null if it did not. */
export async function signOut({ workspace }: Session): Promise<string | null> {
  const answer = await ask('DELETE', '/session', { workspaceId: workspace.id });
  if (!answer.ok && answer.status !== 401) return answer.error;
  session.value = null;
  notice.value = 'You are signed out.';
  tabs.postMessage('signed out');
  return null;
}

/** Forgets the session: an answer said that it has ended. */
export function endSession(why = ended): void {
  if (session.value !== null && session.value !== 'unknown') notice.value = why;
  session.value = null;
}

/** Hears of sign-ins and sign-outs in other tabs. */
export function followOtherTabs(): void {
  tabs.addEventListener('message', ({ data }) => {
    void loadSession(data === 'signed out' ? endedInOtherTab : ended);
  });
}

function noteAnswer(answer: Answer<SessionBody>, whyEnded = ended): void {
  if (answer.ok) {
    session.value = answer.body.session;
    notice.value = null;
  } else if (answer.status === 401) endSession(whyEnded);
  else notice.value = answer.error;
}
