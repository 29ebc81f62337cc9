/** A proxy between commands and a daemon: it shows what they ask, and may answer in its place. */

import type { TestContext } from 'node:test';
import { startSink } from '../fakes/sink.ts';

/** An answer of the proxy itself, or that the connection is cut instead of an answer. */
export type Instead = { status: number; headers?: Record<string, string> } | 'cut' | null;

/**
 * Starts one; it ends with the test. `instead` gets each request as `METHOD PATH`, with ` dry` behind a dry run, and its number. Where it
 * returns null, the daemon answers; a cut request has reached the daemon. Returns the address of the proxy.
 */
export async function startProxy(
  t: TestContext,
  daemonUrl: string,
  instead: (asked: string, count: number) => Instead,
): Promise<string> {
  let count = 0;
  const { url } = await startSink(t, async (response, { method, path, headers, body }) => {
    count += 1;
    const isDry = body.includes('"dryRun":true');
    const answer = instead(`${method} ${path}${isDry ? ' dry' : ''}`, count);
    if (answer !== null && answer !== 'cut') {
      response.writeHead(answer.status, answer.headers).end('{"error":"as the test says"}');
      return;
    }
    const passed = await fetch(daemonUrl + path, {
      method,
      headers: {
        authorization: headers.authorization ?? '',
        ...(body !== '' && { 'content-type': 'application/json' }),
      },
      ...(body !== '' && { body }),
    });
    const content = await passed.text();
    if (answer === 'cut') response.destroy();
    else response.writeHead(passed.status).end(content);
  });
  return url;
}
