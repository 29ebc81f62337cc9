/** Opens one connection to one of the judged addresses: TCP, then TLS for https. No name is resolved here. */
import type { Socket } from 'node:net';
import { sameAddress } from '../domain/targets/address.ts';
import type { Failure } from '../domain/runs/outcome.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { connectFailure, isWayMissing, tlsFailure } from './failure.ts';
import { Racing, type Limit, type NotConnected } from './race.ts';
import type { Origin } from './route.ts';
import type { Timers } from '../domain/clock.ts';
import { TcpSocket } from './tcp.ts';
import { TlsOpener } from './tls.ts';
import type { Wire } from './wire.ts';

/** A socket, and the TCP socket under it if it speaks TLS. */
interface Sockets {
  socket: Socket;
  wire: Wire | null;
}

/** Connected sockets, and the judged address at the other end. */
export interface Dialled extends Sockets {
  address: string;
}

/** Dials within the deadline. Throws DeadlineOver and LocalTrouble. */
export type Dial = (
  origin: Origin,
  addresses: readonly string[],
  deadline: Deadline,
) => Promise<Dialled | { failure: Failure }>;

/** Probes keep routers from forgetting an idle connection. */
const keepAliveProbeMs = 60_000;

/** Creates the dialler. `ca`: certificates (PEM) to trust instead of the usual ones. */
export function createDial(ca: string | undefined, timers: Timers): Dial {
  const tls = new TlsOpener(ca, timers);
  const racing = new Racing(timers);

  return async (origin, addresses, deadline) => {
    deadline.phase = 'connecting';
    const { port } = origin;
    const found = await racing.connect(
      { addresses, port, deadline },
      (address, limit) => {
        const sockets: Sockets =
          origin.protocol === 'https:'
            ? tls.open(origin, address)
            : { socket: new TcpSocket(), wire: null };
        return connect(sockets, { address, port }, limit);
      },
      ({ socket }) => socket.destroy(),
    );
    if ('failure' in found) return found;
    const { address, connected } = found;
    if (connected.wire === null) return { ...connected, address };
    deadline.phase = 'in the TLS handshake';
    const error = await opened(connected.socket, 'secureConnect', deadline);
    if (error === null) return { ...connected, address };
    // The old session may be the reason.
    tls.forgetSession(origin);
    return { failure: tlsFailure(error, origin.host) };
  };
}

/** Connects TCP, and checks that the peer is the judged address. */
async function connect(
  sockets: Sockets,
  { address, port }: { address: string; port: number },
  limit: Limit,
): Promise<{ connected: Sockets } | NotConnected> {
  const { socket, wire } = sockets;
  const tcp = wire ?? socket;
  tcp.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs);
  tcp.connect({ host: address, port, autoSelectFamily: false });
  const endpoint = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const error = await opened(socket, 'connect', limit);
  if (error !== null) {
    const failure = connectFailure(error, endpoint);
    return { failure, unreachable: true, isWayMissing: isWayMissing(error) };
  }
  const peer = tcp.remoteAddress;
  if (peer !== undefined && sameAddress(peer, address)) return { connected: sockets };
  socket.destroy();
  if (peer === undefined) {
    const detail = `the connection was reset by ${endpoint}`;
    return { failure: { reason: 'reset', detail }, unreachable: true, isWayMissing: false };
  }
  const detail = `connected to ${peer} instead of ${address}`;
  const failure: Failure = { reason: 'blocked_address', detail };
  return { failure, unreachable: false, isWayMissing: false };
}

/** Waits until a socket is open. Resolves with null, or with the error. Throws DeadlineOver. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  limit: Limit,
): Promise<null | Error> {
  const { promise, resolve, reject } = Promise.withResolvers<null | Error>();
  const onOpen = (): void => end(null);
  const onClose = (): void => end(new Error('closed'));

  function end(result: null | Error): void {
    stopListening();
    if (result !== null) socket.destroy();
    resolve(result);
  }
  function stopListening(): void {
    limit.onOver(null);
    socket.off(event, onOpen).off('error', end).off('close', onClose);
  }

  if (socket.destroyed) return Promise.resolve(socket.errored ?? new Error('closed'));
  // An error without a listener would end the process, and one may come at any later time.
  socket.on('error', ignore);
  socket.once(event, onOpen).once('error', end).once('close', onClose);
  limit.onOver(() => {
    stopListening();
    socket.destroy();
    reject(new DeadlineOver());
  });
  return promise;
}

function ignore(): void {}
