/**
 * The open connections, by origin. A connection carries one request at a time and is then kept for the next one. It is
 * reused only for an address that is judged allowed at that moment.
 *
 * A server closes an idle connection when it likes. If that crosses with a request on the wire, the request is lost and
 * must not be sent again. Some servers answer once and stay silent, others serve one connection at a time. So a connection is
 * used again only as long as the server promised to keep it (Keep-Alive), or at once where many calls to the server are in
 * flight (docs/decisions/0024-the-way-out.md#when-a-connection-is-used-again). Otherwise it is closed as soon as the answer is read.
 */
import type { Failure } from '../domain/runs/outcome.ts';
import { Connection } from './connection.ts';
import { DeadlineOver, type Deadline } from './deadline.ts';
import type { Dial } from './dial.ts';
import type { Origin } from './route.ts';
import type { Timers } from '../domain/clock.ts';

/** A request must be sent this long before the server may close. */
const promiseMarginMs = 2_000;
/** With so many connections to an origin open, an idle one is used again without a promise, within this time. */
const busyConnections = 8;
const busyIdleMs = 1_000;
/** How often connections are closed that nobody may use any more. */
const sweepEveryMs = 1_000;
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
  readonly #timers: Timers;

  constructor(origin: Origin, timers: Timers) {
    this.origin = origin;
    this.#timers = timers;
  }

  /** Whether a request may be written to this connection, which has carried one before. */
  mayReuse({ socket, mayPersist, promisedMs, idleSince }: Connection): boolean {
    if (socket.destroyed || !mayPersist || socket.writableLength > 0) return false;
    const idleMs = this.#timers.monotonicMs() - idleSince;
    if (promisedMs !== null) return idleMs < promisedMs - promiseMarginMs;
    return this.open >= busyConnections && idleMs < busyIdleMs;
  }

  /** The most recently used idle connection that leads to one of these addresses and may be used. */
  takeIdle(addresses: readonly string[]): Connection | null {
    const index = this.idle.findLastIndex(
      (connection) => addresses.includes(connection.address) && this.mayReuse(connection),
    );
    return index === -1 ? null : (this.idle.splice(index, 1)[0] ?? null);
  }

  removeClosed(connection: Connection): void {
    const index = this.idle.indexOf(connection);
    if (index !== -1) this.idle.splice(index, 1);
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
  /** Runs while a connection is idle. */
  #sweeping: Disposable | null = null;
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
  }

  /** An idle connection to one of these judged addresses; null if there is none, or if calls wait for one. */
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

  /**
   * Keeps the connection for the next request, or closes it. A server that answered without reading the request gets no other.
   * Under TLS the event loop reports the end of a write in its next turn, which may be after the answer.
   */
  giveBack(connection: Connection): void {
    if (connection.socket.writableLength === 0) this.#keepOrClose(connection);
    else setImmediate(() => this.#keepOrClose(connection));
  }

  #keepOrClose(connection: Connection): void {
    const host = this.#hosts.get(connection.origin.key);
    if (host === undefined || connection.socket.destroyed) return;
    connection.idleSince = this.#timers.monotonicMs();
    if (this.#closed || !host.mayReuse(connection)) {
      connection.socket.destroy();
      return;
    }
    host.idle.push(connection);
    this.#idleOldestFirst.add(connection);
    this.#sweeping ??= this.#timers.every(sweepEveryMs, () => this.#sweep());
    if (this.#idleOldestFirst.size > this.#maxIdle) {
      const [oldest] = this.#idleOldestFirst;
      if (oldest !== undefined) this.#idleOldestFirst.delete(oldest);
      oldest?.socket.destroy();
    }
    host.wakeOne();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    this.#stopSweeping();
    const closing = Array.from(this.#connections, ({ socket }) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      socket.once('close', () => resolve());
      socket.destroy();
      return promise;
    });
    await Promise.all(closing);
  }

  /** Closes what may not be used any more. */
  #sweep(): void {
    for (const connection of this.#idleOldestFirst) {
      const host = this.#hosts.get(connection.origin.key);
      if (host?.mayReuse(connection) === true) continue;
      this.#idleOldestFirst.delete(connection);
      connection.socket.destroy();
    }
    if (this.#idleOldestFirst.size === 0) this.#stopSweeping();
  }

  #stopSweeping(): void {
    this.#sweeping?.[Symbol.dispose]();
    this.#sweeping = null;
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
    const connection = new Connection(host.origin, dialled.address, dialled);
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
