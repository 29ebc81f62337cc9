/** One open connection and the undici client that speaks HTTP/1.1 on it. */
import type { Socket } from 'node:net';
import Client from 'undici/lib/dispatcher/client.js';
import type { Dialled } from './dial.ts';
import { Incoming } from './incoming.ts';
import type { Origin } from './route.ts';

/** An idle connection is closed after this if the server has sent no Keep-Alive timeout. */
const maxIdleMs = 240_000;

/** A connection of the pool. Whoever took it is its only user. */
export interface Connection {
  readonly origin: Origin;
  /** The judged address at its other end. */
  readonly address: string;
  readonly socket: Socket;
  readonly client: Client;
  /** Must learn of every request and of the end of its answer. */
  readonly incoming: Incoming;
  /** Monotonic time at which it was given back. */
  idleSince: number;
  /** Whether the server sent a Keep-Alive timeout; undici then closes the connection in time. */
  keepAlivePromised: boolean;
}

/**
 * Puts a client on a connected socket. The client never connects by itself: when the connection closes, the client is
 * done. So no request is written twice, and no address is dialled that was not judged.
 */
export function openConnection(
  origin: Origin,
  address: string,
  { socket, wire }: Dialled,
): Connection {
  let handedOver = false;
  const incoming = new Incoming(socket, (use) => wire?.startUse(use));
  const client = new Client(origin.key, {
    allowH2: false,
    pipelining: 1,
    // The attempt's deadline covers both.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    connect: (_options, callback) => {
      // undici expects the answer in a later turn.
      queueMicrotask(() => {
        // To connect again is refused; the request has not been sent then.
        if (handedOver || socket.destroyed)
          return callback(new Error('the connection was closed'), null);
        handedOver = true;
        callback(null, socket);
      });
    },
  });
  return { origin, address, socket, client, incoming, idleSince: 0, keepAlivePromised: false };
}
