/**
 * Reads a file of the operator's choice from a web server, whole or not at all: by https, or by http from this machine alone, also
 * after a redirect. Bounded in size and time.
 */

import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { JobdError, messageOf } from '../domain/errors.ts';
import { sizeText } from '../domain/sizes.ts';

const mostRedirects = 5;
const redirects = new Set([301, 302, 303, 307, 308]);

/** Whether a URL may be read: https, or this machine. */
export function isTrustworthyUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  const isLoopback = ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  return url.protocol === 'http:' && isLoopback;
}

/**
 * Reads what a URL answers, handing each part to `take`. Throws `invalid_input` for a URL that may not be read, `not_found` if there
 * is no such file, else `unavailable`.
 */
export async function download(
  url: string,
  { bytes: most, timeoutMs }: { bytes: number; timeoutMs: number },
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const response = await follow(url, signal);
    let bytes = 0;
    for await (const chunk of response as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > most) throw new Error(`it has more than ${sizeText(most)}`);
      take(chunk);
    }
    if (!response.complete) throw new Error('the connection was closed too early');
  } catch (error) {
    if (error instanceof JobdError) throw error;
    const why = signal.aborted ? `it took more than ${timeoutMs / 1_000} s` : messageOf(error);
    throw new JobdError('unavailable', `cannot download ${url}: ${why}`, { cause: error });
  }
}

async function follow(given: string, signal: AbortSignal): Promise<IncomingMessage> {
  let url = given;
  for (let followed = 0; followed <= mostRedirects; followed += 1) {
    if (!isTrustworthyUrl(url)) {
      const words = `must be an https URL without a password (http only for this machine), got ${url}`;
      throw new JobdError('invalid_input', `a download ${words}`);
    }
    const response = await ask(url, signal);
    const { statusCode: status = 0, headers } = response;
    if (status === 200) return response;
    response.destroy();
    if (status === 404) throw new JobdError('not_found', `there is no ${url} (404)`);
    if (!redirects.has(status) || headers.location === undefined) {
      throw new Error(`the server answers ${status}`);
    }
    url = URL.parse(headers.location, url)?.href ?? headers.location;
  }
  throw new Error(`redirected more than ${mostRedirects} times`);
}

function ask(url: string, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    request(url, { signal, agent: false, headers: { 'accept-encoding': 'identity' } }, resolve)
      .once('error', reject)
      .end();
  });
}
