/** What the job of the story calls, and where its alerts arrive. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StoryTarget extends AsyncDisposable {
  url: string;
  /** Whether the report fails as behind a proxy without an application. */
  isBroken: boolean;
  /** Resolves when an alert of a failure has come. */
  alerted: Promise<void>;
}

const badGateway = '<html><head><title>502 Bad Gateway</title></head></html>\n';

/** Starts it on loopback. */
export async function startStoryTarget(): Promise<StoryTarget> {
  const alerted = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    request.resume();
    if (request.url === '/alerts') {
      alerted.resolve();
      response.writeHead(204).end();
    } else if (target.isBroken) response.writeHead(502).end(badGateway);
    else response.end('{"report":"month-end","rows":9007199254740993,"sent":true}');
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const target: StoryTarget = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    isBroken: false,
    alerted: alerted.promise,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return target;
}
