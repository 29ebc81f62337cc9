/** Who is signed in: the one truth of this tab. Other tabs of the same jobd hear when it changes. */

import { signal } from '@preact/signals';
import type { Session } from '../api/accounts/session-contract.ts';
import { ask } from './api.ts';
import type { Answer } from './api.ts';
import { root } from './router.ts';

interface SessionBody {
  session: Session;
}

/** `unknown` until the server was asked; null when nobody is signed in. */
export const session = signal<Session | null | 'unknown'>('unknown');
/** Why there is no session, or why nobody knows; null if there is nothing to say. */
export const notice = signal<string | null>(null);

const ended = 'Your session has ended. Sign in again.';
const tabs = new BroadcastChannel(`jobd ${root}`);

/** Asks the server who is signed in. */
export async function loadSession(): Promise<void> {
  noteAnswer(await ask<SessionBody>('GET', '/session'));
}

/** Signs in with a key, or with the code of a link. Returns why it failed; null if it did not. */
export async function signIn(proof: { key: string } | { code: string }): Promise<string | null> {
  const answer = await ask<SessionBody>('POST', '/session', { body: proof });
  if (!answer.ok) return answer.error;
  noteAnswer(answer);
  tabs.postMessage('changed');
  return null;
}

/** Signs out. Returns why it failed; null if it did not. */
export async function signOut({ workspace }: Session): Promise<string | null> {
  const answer = await ask('DELETE', '/session', { workspaceId: workspace.id });
  if (!answer.ok && answer.status !== 401) return answer.error;
  session.value = null;
  notice.value = null;
  tabs.postMessage('changed');
  return null;
}

/** Forgets the session: an answer said that it has ended. */
export function endSession(): void {
  if (session.value !== null && session.value !== 'unknown') notice.value = ended;
  session.value = null;
}

/** Hears of sign-ins and sign-outs in other tabs. */
export function followOtherTabs(): void {
  tabs.addEventListener('message', () => void loadSession());
}

function noteAnswer(answer: Answer<SessionBody>): void {
  if (answer.ok) {
    session.value = answer.body.session;
    notice.value = null;
  } else if (answer.status === 401) endSession();
  else notice.value = answer.error;
}
