/** One open connection. It carries one exchange at a time; what comes outside of an exchange closes it. */
import type { Socket } from 'node:net';
import type { Dialled } from './dial.ts';
import type { Origin } from './route.ts';
import { TcpSocket } from './tcp.ts';

/** Who reads a connection during an exchange. */
export interface Reader {
  /** They are valid only until it returns. */
  onBytes: (bytes: Buffer) => void;
  /** The other side ended the connection in good order. */
  onEnd: () => void;
  onError: (error: Error) => void;
}

/** A connection of the pool. Whoever took it is its only user. */
export class Connection {
  readonly origin: Origin;
  /** The judged address at its other end. */
  readonly address: string;
  readonly socket: Socket;
  /** Monotonic time at which it was given back. */
  idleSince = 0;
  /** Whether another request may follow the last answer. */
  mayPersist = true;
  /** How long the server keeps it open without a request; null if it did not say. */
  promisedMs: number | null = null;
  readonly #wire: Dialled['wire'];
  #reader: Reader | null = null;

  constructor(origin: Origin, address: string, { socket, wire }: Dialled) {
    this.origin = origin;
    this.address = address;
    this.socket = socket;
    this.#wire = wire;
    const onBytes = (bytes: Buffer): boolean => {
      if (this.#reader === null) socket.destroy();
      else this.#reader.onBytes(bytes);
      return true;
    };
    if (socket instanceof TcpSocket) socket.onBytes = onBytes;
    else socket.on('data', onBytes);
    socket.on('error', (error) => this.#reader?.onError(error));
    const onEnd = (): void => {
      this.#reader?.onEnd();
      socket.destroy();
    };
    socket.on('end', onEnd).on('close', onEnd);
  }

  /** Whether a request can be written. */
  get isOpen(): boolean {
    const { socket } = this;
    return socket.writable && !socket.readableEnded;
  }

  /** What comes from now on is this reader's. */
  begin(reader: Reader): void {
    this.#reader = reader;
    this.#wire?.startUse('answer');
    this.socket.ref();
  }

  /** What comes from now on is unasked. An idle connection keeps no process alive. */
  end(): void {
    this.#reader = null;
    this.#wire?.startUse('idle');
    this.socket.unref();
  }
}
