/** A target on loopback that records its requests. */

import { createServer } from 'node:http';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';

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
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method = '', url: path = '', headers } = request;
      received.push({ method, path, headers, body });
      return answer(response, received.at(-1)!);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, received };
}
