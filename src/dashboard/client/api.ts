/** Requests to the API of the server that these pages come from. The browser adds the session's cookie. */

import { signal } from '@preact/signals';
import { root } from '../router.ts';
import { noteServerTime, serverTime } from './clock.ts';

/** A failure: a sentence for people, and the status; 0 if there was no answer. */
export interface Failure {
  status: number;
  error: string;
  /** Seconds to wait, if the server said so. */
  retryAfter: number | null;
}

/** What came of a request. */
export type Answer<T> = { ok: true; body: T } | ({ ok: false } & Failure);

export interface Asked {
  /** Sent as JSON. */
  body?: unknown;
  /** Signs in: a refusal says nothing about the session that there is. */
  isSignIn?: boolean;
  /** The workspace that this tab shows. Everything but reading needs it (docs/dashboard-api.md#pages). */
  workspaceId?: string | undefined;
  headers?: Record<string, string>;
}

/** Why the server cannot be asked, and since when (milliseconds of its clock); null if it answers. */
export const outage = signal<{ since: number; error: string } | null>(null);

/** After that a request has failed. An update may wait 5 s for a call in flight. */
const longestMs = 15_000;

let heardAt = Date.now();
let onSignedOut = (_sentAt: number): void => {};

/** Says what to do when an answer says that nobody is signed in; the request was sent at `sentAt` (`performance.now()`). */
export function whenSignedOut(then: (sentAt: number) => void): void {
  onSignedOut = then;
}

/** Asks the API. `path` begins after `/api/v1`. Never rejects. */
export async function ask<T>(method: string, path: string, asked: Asked = {}): Promise<Answer<T>> {
  const response = await send(method, path, asked);
  if (response === null) return failed(0, 'jobd does not answer. Is the server running?', null);
  const { ok, status, headers } = response;
  const answer: unknown = await response.json().catch(() => null);
  if (ok && answer !== null) {
    noteHeard();
    outage.value = null;
    noteServerTime(headers.get('date'));
    return { ok, body: answer as T };
  }
  const retryAfter = Number(headers.get('retry-after') ?? NaN);
  return failed(status, sentenceOf(answer, status), Number.isNaN(retryAfter) ? null : retryAfter);
}

/** Downloads bytes as they are. */
export async function download(path: string): Promise<Answer<Uint8Array<ArrayBuffer>>> {
  const response = await send('GET', path, {});
  if (response === null) return failed(0, 'jobd does not answer. Is the server running?', null);
  if (response.ok) return { ok: true, body: new Uint8Array(await response.arrayBuffer()) };
  return failed(
    response.status,
    sentenceOf(await response.json().catch(() => null), response.status),
    null,
  );
}

/** Notes that the server was heard. */
export function noteHeard(): void {
  heardAt = Date.now();
}

async function send(method: string, path: string, asked: Asked): Promise<Response | null> {
  const { body, workspaceId, headers: more } = asked;
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(workspaceId !== undefined && { 'x-jobd-workspace': workspaceId }),
    ...more,
  };
  const sentAt = performance.now();
  try {
    const response = await fetch(`${root}api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(longestMs),
    });
    if (response.status === 401 && asked.isSignIn !== true) onSignedOut(sentAt);
    return response;
  } catch {
    return null;
  }
}

function failed(status: number, error: string, retryAfter: number | null): { ok: false } & Failure {
  if (status === 0 || status >= 500) outage.value ??= { since: serverTime(heardAt), error };
  return { ok: false, status, error, retryAfter };
}

/** The API's sentence, or one for an answer of something else, such as a proxy. */
function sentenceOf(answer: unknown, status: number): string {
  const { error } = (answer ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error : `jobd could not be reached (HTTP ${status}).`;
}
