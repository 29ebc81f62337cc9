/** A browser as far as sign-in goes: it keeps cookies, and sends what the page of jobd sends. */

import assert from 'node:assert/strict';
import { createSignInLink } from '../../../src/app/accounts/sign-in.ts';
import { systemClock, type Clock } from '../../../src/domain/clock.ts';
import { openTestLocal } from './local.ts';
import { refusesCookie } from '../checks/conformance.ts';
import { readAnswer, type Answer } from './daemon.ts';
import { send } from './send.ts';

export interface SignedIn {
  /** The id of the session. */
  id: string;
  workspaceId: string;
  /** As in a Cookie header: `NAME=VALUE`. */
  cookie: string;
  /** The Set-Cookie header that set it. */
  setCookie: string;
  /** Asks as the page does. The answer must match the description. */
  ask: (method: string, path: string, body?: unknown, headers?: Headers) => Promise<Answer>;
}

type Headers = Record<string, string>;

/** The code of a new link, made beside the daemon as `jobd open` does. */
export async function newCode(
  dataDir: string,
  given: { workspace?: string; read?: boolean; validMs?: number; clock?: Clock } = {},
): Promise<string> {
  const { workspace = 'default', read = false, validMs = 600_000, clock = systemClock } = given;
  await using local = await openTestLocal(dataDir, clock);
  const permission = read ? 'read' : 'write';
  const input = { workspace, permission, isOwner: !read, validMs } as const;
  const { url } = await createSignInLink(local, input);
  return url.split('#code=')[1] ?? assert.fail(url);
}

/** Posts a key or a code, without a cookie. The answer must match the description. */
export async function postSession(
  url: string,
  given: unknown,
  headers: Headers = {},
): Promise<Answer> {
  return await askBrowser(url, 'POST', '/session', given, headers);
}

/** Signs in with a key or a code. */
export async function signIn(
  url: string,
  given: { key: string } | { code: string },
): Promise<SignedIn> {
  const { status, headers, body } = await postSession(url, given);
  assert.equal(status, 201, body.error);
  const setCookie = headers.get('set-cookie') ?? assert.fail('no cookie');
  const cookie = setCookie.split(';')[0] ?? '';
  const { id, workspace } = body.session;
  return {
    id,
    workspaceId: workspace.id,
    cookie,
    setCookie,
    ask: (method, path, sent, more) =>
      askBrowser(url, method, path, sent, { cookie, 'x-jobd-workspace': workspace.id, ...more }),
  };
}

async function askBrowser(
  url: string,
  method: string,
  path: string,
  body: unknown,
  headers: Headers,
): Promise<Answer> {
  const response = await send(`${url}/api/v1${path}`, method, body, headers);
  const text = await response.clone().text();
  if (!refusesCookie(text)) return await readAnswer(method, response);
  const { status, headers: answered } = response;
  return { status, headers: answered, body: JSON.parse(text) };
}
