import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Target extends AsyncDisposable {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
}

/** Starts it. Disposing of it leaves requests in flight without an answer. */
export async function startTarget(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Target> {
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
