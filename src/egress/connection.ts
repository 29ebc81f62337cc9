/** One open connection and the undici client that speaks HTTP/1.1 on it. */
import type { Socket } from 'node:net';
import { Client } from 'undici';
import type { Dialled, Origin } from './dial.ts';
import { guardIncoming, type Incoming } from './incoming.ts';

/** Without a Keep-Alive promise of the server, an idle connection is closed after this. */
const maxIdleMs = 240_000;

/** A connection of the pool; whoever took it has it alone. */
export interface Connection {
  readonly origin: Origin;
  /** The judged address at its other end. */
  readonly address: string;
  readonly socket: Socket;
  readonly client: Client;
  /** Told of every request and the end of its answer. */
  readonly incoming: Incoming;
  /** Monotonic time of being given back. */
  idleSince: number;
  /** Whether the server said how long it keeps the connection; undici then closes it in time. */
  keepAlivePromised: boolean;
}

/** Thrown to undici when it wants to connect again; the request has not been sent then. */
class ConnectionUsedUp extends Error {
  override readonly name = 'ConnectionUsedUp';
}

/**
 * Puts a client on a connected socket. The client never connects by itself: a connection that closes
 * ends it, so no request can be written a second time, and nothing is dialled that was not judged.
 */
export function openConnection(
  origin: Origin,
  address: string,
  { socket, wire }: Dialled,
): Connection {
  let handedOver = false;
  const incoming = guardIncoming(socket, (use) => wire?.startUse(use));
  const client = new Client(origin.key, {
    allowH2: false,
    pipelining: 1,
    // The attempt's own deadline covers these.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: maxIdleMs,
    keepAliveMaxTimeout: maxIdleMs,
    connect: (_options, callback) => {
      // undici expects the answer in a later turn.
      queueMicrotask(() => {
        if (handedOver || socket.destroyed) {
          callback(new ConnectionUsedUp('the connection was closed'), null);
          return;
        }
        handedOver = true;
        callback(null, socket);
      });
    },
  });
  return { origin, address, socket, client, incoming, idleSince: 0, keepAlivePromised: false };
}
