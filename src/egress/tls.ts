/** TLS on a TCP connection, with limits on what a server can make a handshake cost. */
import { constants } from 'node:crypto';
import {
  connect,
  createSecureContext,
  DEFAULT_CIPHERS,
  TLSSocket,
  type SecureContext,
} from 'node:tls';
import { parseAddress } from '../domain/targets/address.ts';
import { systemCode } from '../domain/errors.ts';
import { refusalOf } from './certificate.ts';
import { BadAnswer, BadCertificate } from './failure.ts';
import { Lru } from './lru.ts';
import type { Origin } from './route.ts';
import type { Timers } from '../domain/clock.ts';
import { Rests, Wire } from './wire.ts';

/** About 1 KB each; resuming a session saves two fifths of a handshake. */
const maxSessions = 10_000;
/** Servers send one to four with a handshake. Each costs some 20 µs, and hundreds fit into a record. */
const maxTickets = 16;
/** OpenSSL's default without the finite fields (`ffdhe`), which cost tens of milliseconds; `*` sends a key share. */
const groups = '*X25519MLKEM768:*X25519:P-256:X448:P-384:P-521';
/** Without DHE: the server chooses its prime, and one of 10,000 bits costs a second of CPU. */
const ciphers = `${DEFAULT_CIPHERS}:!kDHE`;

/** Puts what is wrong with the certificate into words. */
function explained(error: Error, socket: TLSSocket): Error {
  const certificate = socket.getPeerX509Certificate();
  const words = certificate && refusalOf(systemCode(error), certificate, Date.now());
  return words ? new BadCertificate(words, systemCode(error), { cause: error }) : error;
}

/** Opens TLS connections. They share one context and their sessions, which are most of a handshake's cost. */
export class TlsOpener {
  readonly #ca: string | undefined;
  readonly #sessions = new Lru<Buffer>(maxSessions);
  readonly #rests: Rests;
  #context: SecureContext | undefined;

  /** `ca`: certificates (PEM) to trust instead of those of Node and of the system. */
  constructor(ca: string | undefined, timers: Timers) {
    this.#ca = ca;
    this.#rests = new Rests(timers);
  }

  /** A TLS socket and the TCP socket under it, which the caller connects to `address`. */
  open(origin: Origin, address: string): { socket: TLSSocket; wire: Wire } {
    const wire = new Wire(address, this.#rests);
    // A resumed session skips the name check, so it may serve only the name it was made for.
    const session = this.#sessions.get(origin.key);
    const socket = connect({
      socket: wire,
      secureContext: this.#sharedContext(),
      rejectUnauthorized: true,
      ALPNProtocols: ['http/1.1'],
      // What the certificate must be for. Without it Node takes `localhost`.
      host: origin.host,
      // A server name is never an address (RFC 6066 section 3).
      ...(parseAddress(origin.host) === null && { servername: origin.host }),
      ...(session !== undefined && { session }),
    });
    Object.assign(socket, {
      // Node reads the whole chain into objects and then compares names with the first one only. Reading that one alone
      // takes 30 µs instead of 170. The chain has been verified before.
      getPeerCertificate: () => TLSSocket.prototype.getPeerCertificate.call(socket, false),
      // Node has the certificate for as long as it reports what is wrong with it.
      destroy: (error?: Error) =>
        TLSSocket.prototype.destroy.call(socket, error && explained(error, socket)),
      // Node does not pass these on to a socket under TLS.
      ref: () => (wire.ref(), socket),
      unref: () => (wire.unref(), socket),
    });
    // TLS would report the error and stay open.
    wire.on('error', (error) => socket.destroy(error));
    this.#keepSessions(socket, origin.key);
    return { socket, wire };
  }

  /** The next handshake starts from scratch. */
  forgetSession(origin: Origin): void {
    this.#sessions.delete(origin.key);
  }

  #sharedContext(): SecureContext {
    this.#context ??= createSecureContext({
      ciphers,
      ecdhCurve: groups,
      // With TLS 1.2 a server could ask for one handshake after another on one connection.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
      ...(this.#ca !== undefined && { ca: this.#ca }),
    });
    return this.#context;
  }

  #keepSessions(socket: TLSSocket, key: string): void {
    let tickets = 0;
    socket.on('session', (session) => {
      tickets++;
      if (tickets > maxTickets) {
        socket.destroy(new BadAnswer('the target sends too many TLS sessions'));
      } else if (socket.authorized) this.#sessions.set(key, session);
      // Sessions can arrive before the certificate has been verified.
      else socket.once('secureConnect', () => this.#sessions.set(key, session));
    });
  }
}
