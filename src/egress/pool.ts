/**
 * The open connections, by origin. A connection carries one request at a time and is then kept for the next one. It is
 * reused only for an address that is judged allowed at that moment.
 *
 * A server closes an idle connection when it likes. If that crosses with a request on the wire, the request is lost and
 * must not be sent again. A job that runs each minute against a server that closes after 60 s would lose one run after
 * another. So an idle connection is trusted only as long as the server promised (Keep-Alive) or has been observed to keep
 * one open.
 */
import type { Failure } from '../domain/runs/outcome.ts';
import { openConnection, type Connection } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import type { Dial } from './dial.ts';
import type { Origin } from './route.ts';
import type { Timers } from '../domain/clock.ts';

/** How long any server is assumed to keep an idle connection, until observed. */
const startingTrustMs = 6000;
/** A request must be sent this long before the server may close. */
const trustMarginMs = 2000;
/** A connection that was idle for less is always used. */
const alwaysTrustedMs = 1000;
const observeEveryMs = 5000;
/** Most idle connections of a pool. When there are more, the one idle longest is closed. */
const mostIdle = 2048;

type Taken = Connection | { failure: Failure };

/** The connections to one origin, and the calls that wait for one. */
class Host {
  readonly origin: Origin;
  /** Connections that are open or being opened. */
  open = 0;
  /** The most recently used last. */
  readonly idle: Connection[] = [];
  /** A Set is a queue here: first in, first out, and a call can leave it. */
  readonly waiting = new Set<() => void>();
  /** How long this origin has been observed to keep an idle connection open. */
  trustMs = startingTrustMs;
  readonly #timers: Timers;

  constructor(origin: Origin, timers: Timers) {
    this.origin = origin;
    this.#timers = timers;
  }

  observe(): void {
    const [oldest] = this.idle;
    if (oldest === undefined) return;
    this.trustMs = Math.max(this.trustMs, this.#timers.monotonicMs() - oldest.idleSince);
  }

  /** The most recently used idle connection that leads to one of these addresses and can be trusted. */
  takeIdle(addresses: readonly string[]): Connection | null {
    const now = this.#timers.monotonicMs();
    const trustedMs = Math.max(alwaysTrustedMs, this.trustMs - trustMarginMs);
    const index = this.idle.findLastIndex(
      ({ socket, keepAlivePromised, idleSince, address }) =>
        !socket.destroyed &&
        (keepAlivePromised || now - idleSince < trustedMs) &&
        addresses.includes(address),
    );
    return index === -1 ? null : (this.idle.splice(index, 1)[0] ?? null);
  }

  removeClosed(connection: Connection): void {
    const index = this.idle.indexOf(connection);
    if (index === -1) return;
    this.idle.splice(index, 1);
    if (!closedByPeer(connection)) return;
    this.trustMs = Math.min(this.trustMs, this.#timers.monotonicMs() - connection.idleSince);
  }

  wakeOne(): void {
    const [wake] = this.waiting;
    if (wake === undefined) return;
    this.waiting.delete(wake);
    wake();
  }

  /** Waits until a connection or a slot is free. Another call may take it first. Throws DeadlineOver. */
  waitInLine(deadline: Deadline): Promise<void> {
    deadline.phase = 'waiting for a free connection';
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const wake = (): void => {
      deadline.onOver(null);
      resolve();
    };
    this.waiting.add(wake);
    deadline.onOver(() => {
      this.waiting.delete(wake);
      reject(new DeadlineOver());
    });
    return promise;
  }
}

/** The pool: take a connection, use it alone, give it back. Disposing it closes all connections. */
export class Pool implements AsyncDisposable {
  readonly #dial: Dial;
  readonly #connectionsPerHost: number;
  readonly #maxIdle: number;
  readonly #hosts = new Map<string, Host>();
  readonly #idleOldestFirst = new Set<Connection>();
  readonly #connections = new Set<Connection>();
  readonly #timers: Timers;
  readonly #observing: Disposable;
  #closed = false;

  /** Keeps at most `connectionsPerHost` connections to one origin, and `idleConnections` idle ones in all. */
  constructor(
    dial: Dial,
    connectionsPerHost: number,
    {
      idleConnections = mostIdle,
      timers,
    }: { idleConnections?: number | undefined; timers: Timers },
  ) {
    this.#dial = dial;
    this.#connectionsPerHost = connectionsPerHost;
    this.#maxIdle = Math.min(idleConnections, mostIdle);
    this.#timers = timers;
    this.#observing = timers.every(observeEveryMs, () => {
      for (const host of this.#hosts.values()) host.observe();
    });
  }

  /** A trusted idle connection to one of these judged addresses; null if there is none, or if calls wait for one. */
  takeIdle(origin: Origin, addresses: readonly string[]): Connection | null {
    const host = this.#hosts.get(origin.key);
    if (host === undefined || host.waiting.size > 0) return null;
    return this.#takeIdleOf(host, addresses);
  }

  /** An idle or new connection to one of these judged addresses, or why there is none. Throws DeadlineOver. */
  async takeAny(origin: Origin, addresses: readonly string[], deadline: Deadline): Promise<Taken> {
    // A new call does not overtake those that wait.
    const known = this.#hosts.get(origin.key);
    if (known !== undefined && known.waiting.size > 0) await known.waitInLine(deadline);
    for (;;) {
      // A call that was woken too late passes its turn on.
      if (deadline.over !== null) this.#hosts.get(origin.key)?.wakeOne();
      deadline.check();
      const host = this.#hostOf(origin);
      const connection = this.#takeIdleOf(host, addresses);
      if (connection !== null) return connection;
      if (host.open < this.#connectionsPerHost) return this.#openNew(host, addresses, deadline);
      // An unusable idle connection holds a slot, which is free once it is closed.
      host.idle[0]?.socket.destroy();
      await host.waitInLine(deadline);
    }
  }

  /** Keeps the connection for the next request, unless it is closing. */
  giveBack(connection: Connection): void {
    const host = this.#hosts.get(connection.origin.key);
    if (host === undefined || connection.socket.destroyed) return;
    if (this.#closed) {
      connection.socket.destroy();
      return;
    }
    connection.idleSince = this.#timers.monotonicMs();
    host.idle.push(connection);
    this.#idleOldestFirst.add(connection);
    if (this.#idleOldestFirst.size > this.#maxIdle) {
      const [oldest] = this.#idleOldestFirst;
      if (oldest !== undefined) this.#idleOldestFirst.delete(oldest);
      oldest?.socket.destroy();
    }
    host.wakeOne();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#observing[Symbol.dispose]();
    const closing = Array.from(this.#connections, ({ socket }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.once('close', () => resolve());
      socket.destroy();
      return promise;
    });
    await Promise.all(closing);
  }

  #hostOf(origin: Origin): Host {
    const host = this.#hosts.get(origin.key) ?? new Host(origin, this.#timers);
    this.#hosts.set(origin.key, host);
    return host;
  }

  #takeIdleOf(host: Host, addresses: readonly string[]): Connection | null {
    const connection = host.takeIdle(addresses);
    if (connection !== null) this.#idleOldestFirst.delete(connection);
    return connection;
  }

  /** Opens a connection in a slot of its own, which is free again if that fails or once it is closed. */
  async #openNew(host: Host, addresses: readonly string[], deadline: Deadline): Promise<Taken> {
    host.open++;
    let taken: Taken | null = null;
    try {
      taken = await this.#dialOneOf(host, addresses, deadline);
      return taken;
    } finally {
      if (taken === null || 'failure' in taken) this.#freeSlot(host);
    }
  }

  async #dialOneOf(host: Host, addresses: readonly string[], deadline: Deadline): Promise<Taken> {
    const dialled = await this.#dial(host.origin, addresses, deadline);
    if ('failure' in dialled) return dialled;
    const connection = openConnection(host.origin, dialled.address, dialled);
    this.#connections.add(connection);
    dialled.socket.once('close', () => this.#onClosed(host, connection));
    return connection;
  }

  #onClosed(host: Host, connection: Connection): void {
    this.#connections.delete(connection);
    this.#idleOldestFirst.delete(connection);
    host.removeClosed(connection);
    this.#freeSlot(host);
  }

  #freeSlot(host: Host): void {
    host.open--;
    host.wakeOne();
    if (host.open === 0 && host.waiting.size === 0) this.#hosts.delete(host.origin.key);
  }
}

function closedByPeer({ socket }: Connection): boolean {
  const error = socket.errored;
  return socket.readableEnded || (error !== null && 'code' in error && error.code === 'ECONNRESET');
}
