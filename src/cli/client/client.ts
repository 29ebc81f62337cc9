/** Requests to a running jobd, and what their failures mean. */

import type { ErrorBody } from '../../api/http/contract.ts';
import type { ClientConfig } from '../../profiles.ts';
import { keyPattern } from '../../domain/accounts/key.ts';
import { errorCodes, JobdError } from '../../domain/errors.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { exchange, exchangeFollowing } from './exchange.ts';
import type { Answer, Question } from './exchange.ts';

/** Longest time for a whole answer. The API itself waits at most 5 s for anything. */
const answerTimeoutMs = 30_000;

/** Sends a request; `path` follows the API's prefix. Throws `JobdError` with the server's own message. */
export type Ask = <T>(method: string, path: string, body?: object) => Promise<T>;

/** Makes what sends requests to the API of a server. */
export function createAsker(
  { url, apiKey }: ClientConfig,
  { timeoutMs = answerTimeoutMs } = {},
): Ask {
  return (method, path, body) =>
    request(`${url}/api/v1${path}`, { method, apiKey, body, timeoutMs });
}

/** Lists everything at a path, which may have a query, page by page; `field` holds the items. Throws `unreachable` if the server is no jobd. */
export async function* pages<Item>(ask: Ask, path: string, field: string): AsyncGenerator<Item> {
  const start = path.includes('?') ? '&' : '?';
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Record<string, unknown> = await ask('GET', `${path}${start}limit=100${query}`);
    const [items, next] = [page[field], page['nextCursor'] as string | null];
    // The same page again and again would never end.
    if (!Array.isArray(items) || (cursor !== null && next === cursor)) {
      throw new JobdError('unreachable', 'the server does not answer like jobd; check its URL');
    }
    yield* items as Item[];
    cursor = next;
  } while (cursor !== null);
}

/** Sends one ping. Throws `JobdError`. */
export async function sendPing(
  url: string,
  { body, timeoutMs }: { body: string | null; timeoutMs: number },
): Promise<void> {
  const type = { 'content-type': 'text/plain; charset=utf-8' };
  const question = { method: 'POST', headers: body === null ? {} : type, body };
  const answer = await reach(url, question, timeoutMs, exchangeFollowing);
  if (!isOk(answer)) throw failureOf(answer, url);
}

interface Request {
  method: string;
  apiKey: string | null;
  body: object | undefined;
  timeoutMs: number;
}

/** The header of this key. Throws `unauthenticated` if it cannot be one. */
export function authorization(apiKey: string | null): { authorization: string } {
  if (apiKey === null) {
    throw new JobdError('unauthenticated', 'not logged in: run `jobd login` or set JOBD_API_KEY');
  }
  if (!keyPattern.test(apiKey)) {
    throw new JobdError(
      'unauthenticated',
      'JOBD_API_KEY holds no API key: expected cp_ and 64 hexadecimal digits',
    );
  }
  return { authorization: `Bearer ${apiKey}` };
}

async function request<T>(url: string, { method, apiKey, body, timeoutMs }: Request): Promise<T> {
  const headers = {
    ...authorization(apiKey),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  const question = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const answer = await reach(url, question, timeoutMs, exchange);
  if (!isOk(answer)) throw failureOf(answer, url);
  const value = jsonOf(answer.text);
  // Every answer of jobd is a JSON object with something in it.
  const isAnswer = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isAnswer) return value as T;
  throw noJobd(url);
}

/** The server sent what jobd never sends. */
export function noJobd(url: string): JobdError {
  const { origin } = new URL(url);
  return new JobdError('unreachable', `${origin} does not answer like jobd; check its URL`);
}

/** Returns the whole answer. Throws `unreachable` if it breaks off or is not there in time. */
async function reach(
  url: string,
  question: Omit<Question, 'signal'>,
  timeoutMs: number,
  send: typeof exchange,
): Promise<Answer> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    return await send(url, { ...question, signal });
  } catch (error) {
    const { origin } = new URL(url);
    const { message, code } = error as NodeJS.ErrnoException;
    const isRead = question.method === 'GET';
    // When a name has several addresses and all refuse, the error has only a code.
    const reason = signal.aborted
      ? ` within ${Math.round(timeoutMs / 100) / 10} s${isRead ? '' : '; the request may have been carried out'}`
      : `: ${message || code}; is \`jobd serve\` running?`;
    throw new JobdError('unreachable', `no answer from ${origin}${reason}`, { cause: error });
  }
}

function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The value of a JSON document; undefined if the text is none. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error that the server sent; if it is no jobd, its status is all there is to report. */
export function failureOf({ status, text, retryAfterSeconds }: Answer, url: string): JobdError {
  const { origin } = new URL(url);
  const sent = (jsonOf(text) as Partial<ErrorBody> | null | undefined)?.error;
  const message =
    status === 401
      ? `${origin} does not accept this API key: it may be revoked, expired, or made in another data directory than this server uses; ` +
        'create a new one (jobd key create --data DIR) and run `jobd login`'
      : `${origin} answered with status ${status}`;
  const isOwn = typeof sent === 'string' && status !== 401;
  return new JobdError(codeOf(status), isOwn ? sent : message, { retryAfterSeconds });
}

/** The error code of an HTTP status. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return codes.find((code) => errorCodes[code].httpStatus === status) ?? 'internal';
}
