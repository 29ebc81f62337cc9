/** The target of a demo on loopback: what its frequent jobs and its webhook call for real. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';

/** How long each path takes, and what it answers. */
const answers: Readonly<Record<string, { ms: number; status: number; body: string }>> = {
  '/warm': { ms: 50, status: 200, body: '{"warmed":128}' },
  '/checkout': { ms: 120, status: 200, body: 'checkout: ok\n' },
  '/resize': { ms: 38_000, status: 200, body: '{"resized":412}' },
  '/alerts': { ms: 20, status: 204, body: '' },
};

export interface DemoTarget extends AsyncDisposable {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
}

/** Starts it. Disposing of it leaves calls in flight without an answer. */
export async function startDemoTarget(): Promise<DemoTarget> {
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const { ms, status, body } = answers[path] ?? { ms: 0, status: 404, body: 'not here\n' };
    request.resume();
    void setTimeout(ms, undefined, { ref: false }).then(() => response.writeHead(status).end(body));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
