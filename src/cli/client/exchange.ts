/** One HTTP exchange, by `node:http`: fetch takes longer to load than the rest of a command takes to run. */

import { request as requestHttp } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { systemClock } from '../../domain/clock.ts';
import { JobdError } from '../../domain/errors.ts';

export interface Question {
  method: string;
  headers: Record<string, string>;
  body: string | null;
  signal: AbortSignal;
}

export interface Answer {
  status: number;
  text: string;
  /** From the headers `Retry-After` and `RateLimit`. */
  retryAfterSeconds: number | undefined;
}

/** Far more than jobd answers at once: a page of 100 runs with their answers is some 7 MB. */
const longestAnswerMiB = 64;
/** As many as browsers follow. */
const mostRedirects = 20;

/** The header has whole seconds: a smaller difference is none. */
const leastDifferenceMs = 2_000;
let aheadMs = 0;

/** The time of the server that answered last, in epoch milliseconds, as far as its clock differs from that of this machine. */
export function serverTime(): number {
  return systemClock.now() - aheadMs;
}

function noteTime(date = ''): void {
  const ahead = systemClock.now() - Date.parse(date) - 500;
  if (Math.abs(ahead - aheadMs) > leastDifferenceMs) aheadMs = ahead;
}

/** Sends a request. Rejects if there is no whole answer. A redirect is an answer like any other. */
export async function exchange(url: string, question: Question): Promise<Answer> {
  const { location: _, ...answer } = await ask(url, question);
  return answer;
}

/** Sends a request and follows redirects: a POST becomes a GET unless the status (307, 308) keeps it. */
export async function exchangeFollowing(url: string, question: Question): Promise<Answer> {
  const { signal } = question;
  let target = url;
  let asked = question;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const { location, ...answer } = await ask(target, asked);
    const next = location === undefined ? null : URL.parse(location, target);
    const { status } = answer;
    if (![301, 302, 303, 307, 308].includes(status) || next === null) return answer;
    target = next.href;
    if (status < 307) asked = { method: 'GET', headers: {}, body: null, signal };
  }
  throw new Error(`redirected more than ${mostRedirects} times`);
}

/** An answer without an end, whose body is read as it comes. */
export interface LiveAnswer extends Omit<Answer, 'text'> {
  type: string;
  /** Breaks off if no byte comes for this long; until then, the time given at first. */
  allowSilence(ms: number): void;
  /** Rejects when the answer breaks off. */
  chunks: AsyncIterable<string>;
}

/** Sends a request, and resolves when the head of its answer is there. Rejects after `silenceMs` without a byte. */
export async function exchangeLive(
  url: string,
  question: Question,
  silenceMs: number,
): Promise<LiveAnswer> {
  const { response, retryAfterSeconds } = await send(url, question, silenceMs);
  return {
    status: response.statusCode ?? 0,
    type: response.headers['content-type'] ?? '',
    retryAfterSeconds,
    allowSilence: (ms) => void response.socket.setTimeout(ms),
    chunks: response.setEncoding('utf8'),
  };
}

async function ask(
  url: string,
  question: Question,
): Promise<Answer & { location: string | undefined }> {
  const { response, retryAfterSeconds } = await send(url, question);
  const text = await textOf(response);
  const { location } = response.headers;
  return { status: response.statusCode ?? 0, text, retryAfterSeconds, location };
}

async function send(
  url: string,
  { method, headers, body, signal }: Question,
  silenceMs = 0,
): Promise<{ response: IncomingMessage; retryAfterSeconds: number | undefined }> {
  const request: typeof requestHttp =
    new URL(url).protocol === 'https:' ? (await import('node:https')).request : requestHttp;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const asked = request(url, { method, headers, signal, timeout: silenceMs }, resolve);
  asked.on('timeout', () => asked.destroy(new Error('nothing came in time')));
  asked.on('error', reject).end(body ?? undefined);
  const response = await promise;
  noteTime(response.headers.date);
  return { response, retryAfterSeconds: pauseOf(response.headers) };
}

/** What is left of the limit that is spent, else `Retry-After`, which may be more. */
function pauseOf({
  'retry-after': retryAfter = '',
  ratelimit,
}: IncomingHttpHeaders): number | undefined {
  const asked = /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  const [, left] = /;r=0;t=(\d{1,5})\b/.exec(String(ratelimit)) ?? [];
  return asked === undefined || left === undefined ? asked : Math.max(1, Number(left));
}

/** Reads the whole body. Rejects if it breaks off, and with `unreachable` if it is longer than any answer of jobd. */
async function textOf(response: IncomingMessage): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const chunks: Buffer[] = [];
  let length = 0;
  response
    .on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > longestAnswerMiB * 1_048_576) response.destroy(tooLong());
    })
    .once('end', () => resolve(Buffer.concat(chunks).toString()))
    .once('error', reject);
  return await promise;
}

function tooLong(): JobdError {
  const sentence = `the answer is longer than ${longestAnswerMiB} MiB, which none of jobd is; check the URL of the server`;
  return new JobdError('unreachable', sentence);
}
