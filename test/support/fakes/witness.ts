/** A target that records every request on arrival, even if the caller dies. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

/** A request that arrived. */
export interface Arrival {
  /** The value of `X-Service-Run-Id`. */
  runId: string;
  path: string;
  /** Epoch milliseconds. */
  at: number;
}

export interface Witness {
  /** As `http://127.0.0.1:PORT`. */
  url: string;
  /** All requests, in order. */
  arrivals: Arrival[];
  /** Called for each request before it is answered. */
  onArrival: ((arrival: Arrival) => void) | null;
  /** Called for each answer that was completely handed to the system. */
  onAnswer: ((arrival: Arrival) => void) | null;
  /** The requests with this path. */
  at(path: string): Arrival[];
}

/** Answers a request; by default 200 with `ok`. */
type Answer = (response: ServerResponse, arrival: Arrival) => void;

/** Starts it; it ends with the test. */
export async function startWitness(
  t: TestContext,
  answer: Answer = (response) => response.end('ok'),
): Promise<Witness> {
  const arrivals: Arrival[] = [];
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const runId = String(request.headers['x-service-run-id']);
    const arrival = { runId, path: request.url ?? '', at: Date.now() };
    arrivals.push(arrival);
    witness.onArrival?.(arrival);
    request.on('error', () => {});
    response.once('finish', () => witness.onAnswer?.(arrival));
    request.resume();
    answer(response, arrival);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const witness: Witness = {
    url: `http://127.0.0.1:${port}`,
    arrivals,
    onArrival: null,
    onAnswer: null,
    at: (path) => arrivals.filter((arrival) => arrival.path === path),
  };
  return witness;
}
