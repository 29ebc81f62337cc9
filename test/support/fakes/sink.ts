/** A target on loopback that records its requests. */

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { startTarget } from './target.ts';

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Sink {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
  received: Received[];
}

/** Starts a target that answers as `answer` does, by default 200 with `ok`; it ends with the test. */
export async function startSink(
  t: TestContext,
  answer: (response: ServerResponse, request: Received) => unknown = (response) =>
    response.end('ok'),
): Promise<Sink> {
  const received: Received[] = [];
  const target = await startTarget(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const one = { method, path, headers, body: await text(request) };
    received.push(one);
    answer(response, one);
  });
  t.after(() => target[Symbol.asyncDispose]());
  return { url: target.url, received };
}
