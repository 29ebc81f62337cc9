/** Requests to the API of the server that these pages come from. The browser adds the session's cookie. */

import { root } from '../router.ts';

/** What came of a request. A failure has a sentence for people; its status is 0 if there was no answer. */
export type Answer<T> = { ok: true; body: T } | { ok: false; status: number; error: string };

export interface Asked {
  /** Sent as JSON. */
  body?: unknown;
  /** The workspace that this tab shows. Everything but reading needs it (docs/dashboard-api.md#pages). */
  workspaceId?: string;
}

/** After that a request has failed. An update may wait 5 s for a call in flight. */
const longestMs = 15_000;

/** Asks the API. `path` begins after `/api/v1`. Never rejects. */
export async function ask<T>(
  method: string,
  path: string,
  { body, workspaceId }: Asked = {},
): Promise<Answer<T>> {
  const headers = {
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(workspaceId !== undefined && { 'x-jobd-workspace': workspaceId }),
  };
  try {
    const response = await fetch(`${root}api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(longestMs),
    });
    const { ok, status } = response;
    const answer: unknown = await response.json().catch(() => null);
    if (ok && answer !== null) return { ok, body: answer as T };
    return { ok: false, status, error: sentenceOf(answer, status) };
  } catch {
    return { ok: false, status: 0, error: 'jobd does not answer. Is the server running?' };
  }
}

/** The API's sentence, or one for an answer of something else, such as a proxy. */
function sentenceOf(answer: unknown, status: number): string {
  const { error } = (answer ?? {}) as { error?: unknown };
  return typeof error === 'string' ? error : `jobd could not be reached (HTTP ${status}).`;
}
