/** Opens one connection to one judged address: TCP, then TLS for https. No name is resolved here. */
import { Socket } from 'node:net';
import { sameAddress } from '../domain/targets/address.ts';
import type { Failure } from '../domain/runs/outcome.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { connectFailure, secondsText, tlsFailure } from './failure.ts';
import type { Origin } from './route.ts';
import type { Timers } from '../domain/clock.ts';
import { TlsOpener } from './tls.ts';
import type { Wire } from './wire.ts';

/** A connected socket, and the TCP socket under it if it speaks TLS. */
export interface Dialled {
  socket: Socket;
  wire: Wire | null;
}

/** Why there is no connection; `unreachable` if another address may be tried. */
export interface NotDialled {
  failure: Failure;
  unreachable: boolean;
}

/**
 * Dials within the deadline; gives up on an unanswered TCP connect after `connectMs` (null: never). Throws DeadlineOver
 * and LocalTrouble.
 */
export type Dial = (
  origin: Origin,
  address: string,
  deadline: Deadline,
  connectMs: number | null,
) => Promise<Dialled | NotDialled>;

/** Probes keep routers from forgetting an idle connection. */
const keepAliveProbeMs = 60_000;

/** Creates the dialler. `ca`: certificates (PEM) to trust instead of the built-in ones. */
export function createDial(ca: string | undefined, timers: Timers): Dial {
  const tls = new TlsOpener(ca, timers);

  return async (origin, address, deadline, connectMs) => {
    const dialled: Dialled =
      origin.protocol === 'https:'
        ? tls.open(origin, address)
        : { socket: new Socket(), wire: null };
    const notConnected = await connect(dialled, origin.port, address, deadline, connectMs);
    if (notConnected !== null) return notConnected;
    if (dialled.wire === null) return dialled;
    deadline.phase = 'in the TLS handshake';
    const error = await opened(dialled.socket, 'secureConnect', deadline, null);
    if (error === null) return dialled;
    // The old session may be the reason.
    tls.forgetSession(origin);
    return { failure: tlsFailure(error, origin.host), unreachable: false };
  };
}

/** Connects TCP, and checks that the peer is the judged address. */
async function connect(
  { socket, wire }: Dialled,
  port: number,
  address: string,
  deadline: Deadline,
  connectMs: number | null,
): Promise<NotDialled | null> {
  deadline.phase = 'connecting';
  const tcp = wire ?? socket;
  tcp.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs);
  tcp.connect({ host: address, port, autoSelectFamily: false });
  const endpoint = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const error = await opened(socket, 'connect', deadline, connectMs);
  if (error === 'silent') {
    const detail = `no connection to ${endpoint} within ${secondsText(connectMs ?? 0)}`;
    return { failure: { reason: 'refused', detail }, unreachable: true };
  }
  if (error !== null) return { failure: connectFailure(error, endpoint), unreachable: true };
  const peer = tcp.remoteAddress;
  if (peer !== undefined && sameAddress(peer, address)) return null;
  socket.destroy();
  if (peer === undefined) {
    const detail = `the connection was reset by ${endpoint}`;
    return { failure: { reason: 'reset', detail }, unreachable: true };
  }
  const detail = `connected to ${peer} instead of ${address}`;
  return { failure: { reason: 'blocked_address', detail }, unreachable: false };
}

/** Waits until a socket is open. Resolves with null, or with the error, or with 'silent' after `waitMs`. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  deadline: Deadline,
  waitMs: number | null,
): Promise<null | Error | 'silent'> {
  const { promise, resolve, reject } = Promise.withResolvers<null | Error | 'silent'>();
  const timer = waitMs === null ? null : deadline.timers.after(waitMs, end, 'silent');
  const onOpen = (): void => end(null);
  const onClose = (): void => end(new Error('closed'));

  function end(result: null | Error | 'silent'): void {
    stopListening();
    if (result !== null) socket.destroy();
    resolve(result);
  }
  function stopListening(): void {
    timer?.[Symbol.dispose]();
    deadline.onOver(null);
    socket.off(event, onOpen).off('error', end).off('close', onClose);
  }

  // An error without a listener would end the process, and one may come at any later time.
  socket.on('error', ignore);
  socket.once(event, onOpen).once('error', end).once('close', onClose);
  deadline.onOver(() => {
    stopListening();
    socket.destroy();
    reject(new DeadlineOver());
  });
  return promise;
}

function ignore(): void {}
