/** Requests to a running jobd, and what their failures mean. */

import type { ErrorBody } from '../../api/http/contract.ts';
import type { ClientConfig } from './profiles.ts';
import { keyPattern } from '../../domain/accounts/key.ts';
import {
  type ErrorCode,
  errorCodes,
  ifPossible,
  JobdError,
  limitWords,
} from '../../domain/errors.ts';
import { exchange, exchangeFollowing, type Answer, type Question } from './exchange.ts';

/** Longest time for a whole answer. The API itself waits at most 5 s for anything. */
const answerTimeoutMs = 30_000;

/** Sends a request; `path` follows the API's prefix, `key` is its `Idempotency-Key`. Throws `JobdError` with the server's message. */
export type Ask = <T>(method: string, path: string, body?: object, key?: string) => Promise<T>;

/** Makes what sends requests to the API of a server. */
export function createAsker(server: ClientConfig, { timeoutMs = answerTimeoutMs } = {}): Ask {
  return (method, path, body, key) => request(server, path, { method, body, key, timeoutMs });
}

const itemsOfPage = 100;
/** 2 million items: no server keeps as many jobs, or as many runs of an account. */
const mostPages = 20_000;

/** Lists everything at a path, which may have a query, page by page; `field` holds the items. Throws `unreachable` if the server is no jobd. */
export async function* pages<Item>(ask: Ask, path: string, field: string): AsyncGenerator<Item> {
  const start = path.includes('?') ? '&' : '?';
  const asked = new Set<string>();
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Record<string, unknown> = await ask(
      'GET',
      `${path}${start}limit=${itemsOfPage}${query}`,
    );
    const [items, next] = [page[field], page['nextCursor'] as string | null];
    const isPage = Array.isArray(items) && items.length <= itemsOfPage;
    // The same pages again and again would never end, nor would ever new ones.
    if (!isPage || (next !== null && asked.has(next)) || asked.size >= mostPages)
      throw otherProgram();
    if (next !== null) asked.add(next);
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

/** Asks a server whether it can do its work. Returns its notes, in sentences. Throws `JobdError` if it cannot, or does not answer. */
export async function requestReadiness(url: string): Promise<string[]> {
  const answer = await reach(url, { method: 'GET', headers: {}, body: null }, 4_000, exchange);
  if (!isOk(answer)) throw failureOf(answer, url);
  const { notes } = (jsonOf(answer.text) ?? {}) as { notes?: unknown };
  return Array.isArray(notes) ? notes.map(String) : [];
}

interface Request {
  method: string;
  body: object | undefined;
  key: string | undefined;
  timeoutMs: number;
}

/** The header of the key for a server. Throws `unauthenticated` if there is none, or it cannot be one. */
export function authorization({
  url,
  isNamed = true,
  apiKey,
  keyFrom = 'the key',
  others = [],
}: ClientConfig): {
  authorization: string;
} {
  if (apiKey === null) {
    // Where nobody named a server, the login finds the one of this machine.
    const [to, option] = isNamed ? [` to ${url}`, ` --url ${url}`] : ['', ''];
    const sentence = `not logged in${to}: run jobd login${option}, or set JOBD_API_KEY`;
    const kept = others.length === 0 ? [] : [`--profile takes one of: ${others.join(', ')}`];
    const notes = [...kept, 'on the machine of the server, jobd key create makes a key'];
    throw new JobdError('unauthenticated', sentence, { notes });
  }
  if (!keyPattern.test(apiKey)) {
    throw new JobdError(
      'unauthenticated',
      `${keyFrom} holds no API key: expected cp_ and 64 hexadecimal digits`,
    );
  }
  return { authorization: `Bearer ${apiKey}` };
}

async function request<T>(
  server: ClientConfig,
  path: string,
  { method, body, key, timeoutMs }: Request,
): Promise<T> {
  const url = `${server.url}/api/v1${path}`;
  const headers = {
    ...authorization(server),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(key !== undefined && { 'idempotency-key': key }),
  };
  const question = { method, headers, body: body === undefined ? null : JSON.stringify(body) };
  const answer = await reach(url, question, timeoutMs, exchange);
  if (!isOk(answer)) throw failureOf(answer, url, server.keyFrom);
  const value = jsonOf(answer.text);
  // Every answer of jobd is a JSON object with something in it.
  const isAnswer = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isAnswer) return value as T;
  throw noJobd(url);
}

/** The server sent what jobd never sends. */
export function noJobd(url: string, status = 200): JobdError {
  return otherProgram(new URL(url).origin, status);
}

function otherProgram(name = 'the server', status = 200): JobdError {
  const shown = status === 200 ? '' : ` (status ${status})`;
  return new JobdError('unreachable', `${name} does not answer like jobd${shown}; check its URL`);
}

/** A field that an answer of jobd has. Throws `unreachable` if it is not there: then another program answers. */
export function fieldOf<Sent extends object, Name extends keyof Sent>(
  answer: Sent,
  name: Name,
): NonNullable<Sent[Name]> {
  const value = answer[name];
  if (value === undefined || value === null) throw otherProgram();
  return value;
}

/** Returns the whole answer. Throws `unreachable` if it breaks off, is too long or is not there in time. */
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
    if (error instanceof JobdError) throw error;
    const { origin } = new URL(url);
    const isRead = question.method === 'GET';
    const reason = signal.aborted
      ? ` within ${Math.round(timeoutMs / 100) / 10} s${isRead ? '' : '; the request may have been carried out'}`
      : `: ${whyNot(error as NodeJS.ErrnoException)}`;
    throw new JobdError('unreachable', `no answer from ${origin}${reason}`, { cause: error });
  }
}

/** What a failure of the connection means, and what to do. */
function whyNot({ message, code = '' }: NodeJS.ErrnoException): string {
  if (code === 'CERT_HAS_EXPIRED') return 'its certificate has expired';
  if (code.includes('ALTNAME')) return `its certificate is for another name (${message})`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET)/.test(code)) {
    return `its certificate is not trusted (${message}); for one of your own, set NODE_EXTRA_CA_CERTS to its file`;
  }
  if (code === 'EPROTO') return 'it does not speak TLS there; is it http:// instead of https://?';
  if (code === 'ECONNRESET') {
    return 'it closed the connection; was it stopped just now? If not: is it https:// instead of http://?';
  }
  if (code.startsWith('HPE_')) {
    return `${message}; does it speak HTTP there, or is it https:// instead of http://?`;
  }
  if (code === 'ENOTFOUND') return 'nobody knows this name; is it spelled right?';
  // When a name has several addresses and all refuse, the error has only a code.
  return `${message || code}; is jobd serve running, and is this its address?`;
}

function isOk({ status }: Answer): boolean {
  return status >= 200 && status < 300;
}

/** The value of a JSON document; undefined if the text is none. */
export function jsonOf(text: string): unknown {
  return ifPossible(() => JSON.parse(text) as unknown);
}

/** The error that the server sent, or that it is another program. */
export function failureOf(
  { status, text, retryAfterSeconds }: Answer,
  url: string,
  keyFrom = 'this key',
): JobdError {
  const { origin } = new URL(url);
  const sent = (jsonOf(text) as Partial<ErrorBody> | null | undefined)?.error;
  // What stands before jobd may say by itself that jobd is away, or that there is too much.
  if (typeof sent !== 'string' && status < 500 && status !== 413 && status !== 429) {
    return noJobd(url, status);
  }
  if (status === 401) {
    return new JobdError('unauthenticated', `${origin} does not accept ${keyFrom}`, {
      notes: [
        'the key is revoked or expired, or was made in another data directory than this server uses',
        'a new one: jobd key create --name NAME, on the server; then jobd login',
      ],
    });
  }
  const answered = `${origin} answered with status ${status}`;
  const limit = status === 429 ? limitWords(answered, (retryAfterSeconds ?? 60) * 1_000) : answered;
  const message = typeof sent === 'string' ? sent : limit;
  return new JobdError(codeOf(status), message, { retryAfterSeconds });
}

/** The error code of an HTTP status. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.keys(errorCodes) as ErrorCode[];
  return codes.find((code) => errorCodes[code].httpStatus === status) ?? 'internal';
}
