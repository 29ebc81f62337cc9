/** A client that sends raw requests over kept connections, without the restrictions of fetch. */

import { Agent, request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

/** A request to send; the path need not be a valid URL, but is ASCII without spaces. */
export interface RawRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body: string | Buffer | null;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Longest wait for an answer. */
const patienceMs = 20_000;

/** Opens a client with this many connections to a site; they close with the test. */
export function keepAliveClient(
  t: TestContext,
  siteUrl: string,
  connections: number,
): (sent: RawRequest) => Promise<RawAnswer> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  t.after(() => agent.destroy());
  const { hostname, port } = new URL(siteUrl);
  return ({ method, path, headers, body }) =>
    new Promise((resolve, reject) => {
      const asked = request({ agent, hostname, port, method, path, headers });
      asked.setTimeout(patienceMs, () => asked.destroy(new Error('no answer came')));
      asked.on('error', reject);
      asked.on('response', (response) => {
        // A server that answers before it has read everything may close during the rest.
        asked.removeListener('error', reject).on('error', () => {});
        textOf(response).then(
          (answered) =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              text: answered,
            }),
          reject,
        );
      });
      asked.end(body ?? undefined);
    });
}

/** The whole body; of a stream of events, which has no end, its first event as a JSON document. */
async function textOf(response: IncomingMessage): Promise<string> {
  const type = response.headers['content-type'] ?? '';
  if (response.statusCode !== 200 || !type.startsWith('text/event-stream')) {
    return await text(response);
  }
  let read = '';
  // Leaving the loop closes the connection.
  for await (const chunk of response.setEncoding('utf8')) {
    read += String(chunk);
    if (read.includes('\n\n')) break;
  }
  const [, event, data = ''] = /^event: (.*)\ndata: (.*)\n\n/.exec(read) ?? [];
  return JSON.stringify({ event, data: JSON.parse(data) });
}
