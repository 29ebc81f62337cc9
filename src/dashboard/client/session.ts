/** Who is signed in: the one truth of this tab. Other tabs of the same jobd hear when it changes. */

import { computed, signal } from '@preact/signals';
import type { Session } from '../../api/accounts/session-contract.ts';
import { isStaying, place } from '../router.ts';
import { ask, whenSignedOut, type Answer, type Asked, type Failure } from './api.ts';
import { openTabs } from './tabs.ts';

interface SessionBody {
  session: Session;
  workspaces?: Session['workspace'][];
}

/** `unknown` until the server was asked; null when nobody is signed in. */
export const session = signal<Session | null | 'unknown'>('unknown');
/** Where the owner's session may move to. */
export const workspaces = signal<Session['workspace'][]>([]);
/** Why there is no session, or why nobody knows; null if there is nothing to say. */
export const notice = signal<string | null>(null);
/** Whether the session ended while its page is shown: what was typed stays, and signing in again continues. */
export const hasEnded = signal(false);
/** Whether the session shows another workspace now than this tab, where something typed would be lost. */
export const hasMoved = signal(false);

/** Counts who looks: another number has other rights or another workspace. What was asked for one is never shown to the next. */
export const viewer = signal(0);

/** The session that there is; null if there is none, and while nobody knows. */
export const signedIn = computed(() => (session.value === 'unknown' ? null : session.value));

/** Whether this session may change anything. */
export const mayWrite = computed(() => signedIn.value?.permission === 'write');

/** Why nobody was signed in. */
export interface Refusal {
  /** A sentence for people. */
  error: string;
  /** Whether the key or code itself was refused. */
  isRefused: boolean;
}

const ended = 'Your session has ended. Sign in again.';
const endedInOtherTab = 'You signed out in another tab.';
const notKept =
  'Your browser did not keep the session. Open jobd at the address it was set up for (https), and allow cookies.';
const tabs = openTabs<'changed' | 'signed out'>('session');
/** A page that opens while jobd starts, or is asked too often, asks again in so many seconds unless the server says when. */
const usualWaitSeconds = 10;
let onChanged = (): void => {};
/** When a session that had ended went on, by `performance.now()`. */
let signedInAt = 0;
let again: ReturnType<typeof setTimeout> | undefined;

/** Asks the server who is signed in, until it says. What was typed for another workspace is not lost for that. */
export async function loadSession(): Promise<void> {
  clearTimeout(again);
  const answer = await ask<SessionBody>('GET', '/session');
  const before = signedIn.value;
  const hasLeft = before !== null && answer.ok && !isSameWorkspace(before, answer.body.session);
  if (hasLeft && isStaying()) hasMoved.value = true;
  else noteAnswer(answer);
}

/** Signs in with a key, or with the code of a link. Returns why it failed; null if it did not. */
export async function signIn(proof: { key: string } | { code: string }): Promise<Refusal | null> {
  const answer = await ask<SessionBody>('POST', '/session', {
    body: proof,
    isSignIn: true,
  });
  if (!answer.ok) return { error: answer.error, isRefused: answer.status === 401 };
  // A browser drops a cookie that is `Secure` if it came over plain http.
  const kept = await ask<SessionBody>('GET', '/session');
  if (!kept.ok && kept.status === 401) return { error: notKept, isRefused: false };
  noteAnswer(kept.ok ? kept : answer);
  tabs.say('changed');
  return null;
}

/** Signs out. Returns why it failed; null if it did not. */
export async function signOut(): Promise<string | null> {
  const answer = await change('DELETE', '/session');
  if (!answer.ok && answer.status !== 401) return answer.error;
  leave('You are signed out.');
  tabs.say('signed out');
  return null;
}

/** Moves the owner's session to another workspace. Returns why it failed; null if it did not. */
export async function moveSession(workspaceId: string): Promise<string | null> {
  const answer = await change<SessionBody>('PATCH', '/session', { workspaceId });
  if (!answer.ok) return answer.error;
  noteAnswer(answer);
  tabs.say('changed');
  return null;
}

/** Says what to do when this tab has changed something. */
export function whenChanged(then: () => void): void {
  onChanged = then;
}

/** Asks the API to change something in the workspace that this tab shows. */
export async function change<T>(
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  body?: unknown,
  headers?: Asked['headers'],
): Promise<Answer<T>> {
  const answer = await askHere<T>(method, path, { body, ...(headers && { headers }) });
  if (answer.ok) onChanged();
  return answer;
}

/** A request that may have created something: its answer was lost. */
let unanswered: { request: string; key: string } | null = null;

/** Asks the API to create something. Sent again after its answer was lost, it creates nothing twice (docs/behavior.md#api-11). */
export async function create<T>(path: string, body?: unknown): Promise<Answer<T>> {
  const request = `${path} ${JSON.stringify(body)}`;
  const key = unanswered?.request === request ? unanswered.key : newKey();
  const answer = await change<T>('POST', path, body, { 'idempotency-key': key });
  const isLost = !answer.ok && (answer.status === 0 || answer.status >= 500);
  unanswered = isLost ? { request, key } : null;
  return answer;
}

function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/** Sends the API something to work out, such as a schedule, in the workspace that this tab shows. It changes nothing. */
export async function workOut<T>(path: string, body: unknown): Promise<Answer<T>> {
  return await askHere<T>('POST', path, { body });
}

/** Hears of sign-ins and sign-outs in other tabs, and of answers that say that the session has ended. */
export function followSession(): void {
  tabs.hear((word) => {
    if (word === 'signed out') leave(endedInOtherTab);
    else void loadSession();
  });
  place.subscribe(() => {
    if (hasMoved.value) void loadSession();
  });
  whenSignedOut((sentAt) => {
    // It is late: somebody has signed in since it was asked.
    if (sentAt < signedInAt) return;
    if (signedIn.value === null) session.value = null;
    else hasEnded.value = true;
  });
}

/** Forgets the session, and all that it showed. */
export function leave(why: string): void {
  viewer.value += 1;
  session.value = null;
  hasEnded.value = false;
  hasMoved.value = false;
  notice.value = why;
}

function noteAnswer(answer: Answer<SessionBody> | ({ ok: false } & Failure)): void {
  if (answer.ok) {
    const { session: next, workspaces: places } = answer.body;
    const before = signedIn.value;
    if (before === null || !seesTheSame(before, next)) viewer.value += 1;
    hasMoved.value = false;
    if (before === null || !isSame(before, next)) session.value = next;
    if (places !== undefined) workspaces.value = places;
    notice.value = null;
    if (hasEnded.value) signedInAt = performance.now();
    hasEnded.value = false;
  } else if (answer.status === 401) {
    if (session.value === 'unknown') session.value = null;
    else if (session.value !== null) notice.value = ended;
  } else {
    notice.value = answer.error;
    const wait = answer.retryAfter ?? usualWaitSeconds;
    if (session.value === 'unknown') again = setTimeout(() => void loadSession(), wait * 1_000);
  }
}

async function askHere<T>(method: string, path: string, asked: Asked): Promise<Answer<T>> {
  return await ask<T>(method, path, { ...asked, workspaceId: signedIn.value?.workspace.id });
}

function isSameWorkspace(one: Session, other: Session): boolean {
  return one.workspace.id === other.workspace.id;
}

/** The page is drawn again for another session. One that was renewed, with the same rights, continues. */
function isSame(one: Session, other: Session): boolean {
  return isSameWorkspace(one, other) && one.id === other.id && one.expiresAt === other.expiresAt;
}

function seesTheSame(one: Session, other: Session): boolean {
  return (
    isSameWorkspace(one, other) &&
    one.permission === other.permission &&
    one.isOwner === other.isOwner
  );
}
