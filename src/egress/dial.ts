/** Opens one connection to one judged address: TCP, then TLS for https. Nothing is looked up here. */
import { constants } from 'node:crypto';
import { Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  DEFAULT_CIPHERS,
  TLSSocket,
  type PeerCertificate,
  type SecureContext,
} from 'node:tls';
import { parseAddress, sameAddress } from '../domain/targets/address.ts';
import { systemCode } from '../domain/errors.ts';
import type { Failure } from '../domain/runs/outcome.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import { connectFailure, secondsText, tlsFailure } from './failure.ts';
import { BadAnswer } from './incoming.ts';
import { localTrouble } from './local-trouble.ts';
import { createRecent } from './recent.ts';
import { createRests, Wire } from './wire.ts';

/** Where a URL leads: scheme, host and port. */
export interface Origin {
  protocol: 'http:' | 'https:';
  /** A name in lower case, or an address without brackets. */
  host: string;
  port: number;
  /** `https://example.com:443`, as undici and the pool know it. */
  key: string;
}

/** A connected socket, and what is under it if it speaks TLS. */
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

/** About 1 KB each; a handshake that resumes one costs three fifths of another. */
const maxSessions = 10_000;
/** Servers give one to four with a handshake; each costs some 20 µs, and hundreds fit into a record. */
const maxTickets = 16;
/** The default of OpenSSL without the finite fields (`ffdhe`), which cost tens of milliseconds; `*` sends a key share. */
const groups = '*X25519MLKEM768:*X25519:P-256:X448:P-384:P-521';
/** The primes of DHE are the server's choice, up to 10,000 bits: a second of CPU. All else takes certificates or fixed curves. */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;
/** Probes keep routers from forgetting an idle connection. */
const keepAliveProbeMs = 60_000;

/** Creates the dialler. TLS contexts and sessions are shared: they cost most of a handshake. */
export function createDial(ca: string | undefined): Dial {
  let context: SecureContext | null = null;
  const sessions = createRecent<Buffer>(maxSessions);
  const rests = createRests();

  function open(origin: Origin, address: string): Dialled {
    const wire = origin.protocol === 'https:' ? new Wire(address, rests) : null;
    const tcp = wire ?? new Socket();
    tcp.setNoDelay(true).setKeepAlive(true, keepAliveProbeMs);
    const socket = wire === null ? tcp : openTls(origin, wire);
    tcp.connect({ host: address, port: origin.port, autoSelectFamily: false });
    return { socket, wire };
  }

  function openTls(origin: Origin, wire: Wire): TLSSocket {
    context ??= createSecureContext({
      ciphers,
      ecdhCurve: groups,
      // A server could ask for one handshake after the other on one connection (TLS 1.2).
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(ca === undefined ? {} : { ca }),
    });
    // A resumed session skips the name check, so it may serve only the name it was made for.
    const session = sessions.get(origin.key);
    const tls = connectTls({
      socket: wire,
      secureContext: context,
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      // The certificate must be for the server name, else for the address; a server name is never
      // an address (RFC 6066 section 3).
      ...(parseAddress(origin.host) === null ? { servername: origin.host } : {}),
      ...(session === undefined ? {} : { session }),
    });
    showLeafOnly(tls);
    // TLS would tell of an error under it, and stay open.
    wire.on('error', (error) => tls.destroy(error));
    // It does not reach what is under it by itself.
    Object.assign(tls, { ref: () => (wire.ref(), tls), unref: () => (wire.unref(), tls) });
    let tickets = 0;
    // Sessions can arrive before the certificate has been verified.
    tls.on('session', (fresh) => {
      tickets++;
      if (tickets > maxTickets)
        tls.destroy(new BadAnswer('the target sends too many TLS sessions'));
      else if (tls.authorized) sessions.set(origin.key, fresh);
      else tls.once('secureConnect', () => sessions.set(origin.key, fresh));
    });
    return tls;
  }

  return async (origin, address, deadline, connectMs) => {
    deadline.phase = 'connecting';
    const endpoint = `${address.includes(':') ? `[${address}]` : address}:${origin.port}`;
    const dialled = open(origin, address);
    const { socket } = dialled;
    const connected = await opened(socket, 'connect', deadline, connectMs);
    if (connected === 'silent') {
      const detail = `no connection to ${endpoint} within ${secondsText(connectMs ?? 0)}`;
      return { failure: { reason: 'refused', detail }, unreachable: true };
    }
    if (connected !== null) {
      throwLocal(connected, address);
      return { failure: connectFailure(connected, endpoint), unreachable: true };
    }
    const peer = (dialled.wire ?? socket).remoteAddress;
    if (peer === undefined) {
      socket.destroy();
      const detail = `the connection was reset by ${endpoint}`;
      return { failure: { reason: 'reset', detail }, unreachable: true };
    }
    if (!sameAddress(peer, address)) {
      socket.destroy();
      const detail = `connected to ${peer} instead of ${address}`;
      return { failure: { reason: 'blocked_address', detail }, unreachable: false };
    }
    if (dialled.wire === null) return dialled;

    deadline.phase = 'in the TLS handshake';
    const secured = await opened(socket, 'secureConnect', deadline, null);
    if (secured === null) return dialled;
    // The next handshake starts afresh, in case it was the old session that failed.
    sessions.delete(origin.key);
    return { failure: tlsFailure(secured, origin.host), unreachable: false };
  };
}

/** Waits until a socket is open: null, or the error, or 'silent' after `waitMs`. */
function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  deadline: Deadline,
  waitMs: number | null,
): Promise<null | Error | 'silent'> {
  const { promise, resolve, reject } = Promise.withResolvers<null | Error | 'silent'>();
  const timer = waitMs === null ? undefined : setTimeout(() => end('silent'), waitMs);
  const onOpen = (): void => end(null);
  const onClose = (): void => end(new Error('closed'));

  function end(result: null | Error | 'silent'): void {
    stopListening();
    if (result !== null) socket.destroy();
    resolve(result);
  }
  function stopListening(): void {
    clearTimeout(timer);
    deadline.onOver(null);
    socket.off(event, onOpen).off('error', end).off('close', onClose);
  }

  // An error nobody listens to would end the process, and one may come at any later time.
  socket.on('error', ignore);
  socket.once(event, onOpen).once('error', end).once('close', onClose);
  deadline.onOver(() => {
    stopListening();
    socket.destroy();
    reject(new DeadlineOver());
  });
  return promise;
}

/** Throws LocalTrouble if that is what kept the connection from being made. */
function throwLocal(error: Error, address: string): void {
  // A machine without IPv6 has no address of that kind: another target may be called, this one never.
  if (address.includes(':') && systemCode(error) === 'EADDRNOTAVAIL') return;
  const trouble = localTrouble(error);
  if (trouble !== null) throw trouble;
}

/**
 * To compare names, Node has the whole chain made into objects and reads the first one. Only that one is made here,
 * 30 µs instead of 170 for a chain of three: a tenth of a handshake. The chain has been verified before.
 */
function showLeafOnly(tls: TLSSocket): void {
  const getPeerCertificate = (): PeerCertificate =>
    TLSSocket.prototype.getPeerCertificate.call(tls, false);
  Object.assign(tls, { getPeerCertificate });
}

function ignore(): void {}
