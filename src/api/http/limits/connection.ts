/**
 * One connection of a client. Its requests are answered one after the other, each when the answer to the one before has been
 * taken, and a few may wait: what one connection can make the server keep has a bound. Node would begin all
 * requests of a packet at once, 2,000 of them, and keep the answers.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeGently, createPatience } from './closing.ts';
import type { OpenConnection, OpenConnections } from './open-connections.ts';

/** A request, and how it came in. */
export interface Turn {
  request: IncomingMessage;
  response: ServerResponse;
  /** Whether it is counted already, by its key or its address. */
  isCounted: boolean;
  /** Whether its address has asked too often. */
  isRefused: boolean;
}

/** Requests that may wait while one is answered, and their bytes. Who sends more at once gets these answered, then the end. */
export const mostWaiting = 16;
const mostWaitingBytes = 4 * 1024;

/** What node's parser is told so that it looks at nothing more of a packet; it takes the rest for another protocol. */
const nothingMore = 2;

interface Parser {
  onIncoming?: ((request: IncomingMessage, keepAlive: boolean) => number) | null;
}

const connections = new WeakMap<Socket, Connection>();

/** The connection that a request came on; undefined once it was let go, as a tunnel is. */
export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** Begins with the socket and ends with it. */
export class Connection implements OpenConnection {
  readonly socket: Socket;
  readonly addressGroup: string;
  isTrusted = false;
  activeAt: number;
  /** The request that is being answered. */
  turn: Turn | undefined;
  /** Since when it has not taken all that was sent, monotonic milliseconds; null if it has. */
  #untakenSince: number | null = null;
  readonly #open: OpenConnections<Connection>;
  readonly #answer: (turn: Turn) => void;
  readonly #waiting: Turn[] = [];
  /** The request that was answered last, if it had not arrived completely by then. */
  #unread: Turn | undefined;
  /** What it ends with when nothing waits any more. */
  #lastWord = (): void => closeGently(this.socket);
  /** Null while it is read; then whether what still comes is within bounds. */
  #isPatient: (() => boolean) | null = null;

  constructor(
    socket: Socket,
    place: { addressGroup: string; now: number; open: OpenConnections<Connection> },
    answer: (turn: Turn) => void,
  ) {
    this.socket = socket;
    this.addressGroup = place.addressGroup;
    this.activeAt = place.now;
    this.#open = place.open;
    this.#answer = answer;
    connections.set(socket, this);
    this.#watchParser();
  }

  /** A client that takes its time over a request or an answer is not busy. */
  get isBusy(): boolean {
    return this.turn?.request.complete === true && this.#untakenSince === null;
  }

  /** Whether nothing more is read of it. */
  get isOver(): boolean {
    return this.#isPatient !== null;
  }

  /** Answers a request that arrived, or keeps it until its turn. */
  add(turn: Turn, now: number): void {
    if (this.isOver) return;
    this.activeAt = now;
    const mayWait = this.turn === undefined || this.#hasRoomFor(turn);
    if (turn.isRefused || !mayWait) this.stopReading();
    if (!mayWait) return;
    if (this.turn !== undefined) this.#waiting.push(turn);
    else this.#begin(turn);
    this.#open.update(this);
  }

  /** Once the request that is being answered has arrived completely, counts the connection among those that are closed last. */
  trust(): void {
    const request = this.turn?.request;
    if (request?.complete === false) request.once('end', () => this.#trustNow());
    else this.#trustNow();
  }

  /** The request that what comes now belongs to; undefined between two. */
  get arriving(): Turn | undefined {
    const last = this.#waiting.at(-1) ?? this.turn ?? this.#unread;
    return last?.request.complete === false ? last : undefined;
  }

  /** Looks at nothing more that comes; once what waits is answered the connection is closed. */
  stopReading(): void {
    if (this.isOver) return;
    this.#isPatient = createPatience(this.socket);
    // Node calls this when an answer with `Connection: close` is out.
    this.socket.destroySoon = () => closeGently(this.socket);
  }

  /**
   * Ends it, since what came cannot be read: `say` has the last word, after the answers to what came before. Where it is the body
   * of a request that broke, that request gets one answer.
   */
  endWith(say: () => void): void {
    this.stopReading();
    if (this.#waiting.at(-1)?.request.complete === false) this.#waiting.pop();
    const { turn } = this;
    if (turn === undefined && this.#unread?.request.complete !== false) say();
    else if (turn === undefined || !turn.request.complete) this.#breakOff(turn, say);
    else this.#lastWord = say;
  }

  /** A packet came that nobody looks at. */
  dropPacket(): void {
    if (this.#isPatient?.() === false) this.socket.destroy();
  }

  close(): void {
    this.socket.destroy();
  }

  /** To be called now and then: a client may take its answers slowly, a byte at a time, but not for ever, and none waits then. */
  lookAtUntaken(takeTimeoutMs: number): void {
    const now = performance.now();
    if (this.socket.writableLength === 0) this.#untakenSince = null;
    else if (this.#untakenSince === null) {
      this.#untakenSince = now;
      if (this.#waiting.splice(0).length > 0) this.stopReading();
      this.#open.update(this);
    } else if (now - this.#untakenSince > takeTimeoutMs) this.close();
  }

  #hasRoomFor({ request }: Turn): boolean {
    if (this.#untakenSince !== null || this.#waiting.length === mostWaiting) return false;
    const bytes = this.#waiting.reduce((sum, turn) => sum + bytesOf(turn.request), 0);
    return bytes + bytesOf(request) <= mostWaitingBytes;
  }

  #trustNow(): void {
    this.isTrusted = true;
    this.#open.update(this);
  }

  #breakOff(turn: Turn | undefined, say: () => void): void {
    if (turn === undefined || turn.response.headersSent) this.socket.destroySoon();
    else say();
  }

  #begin(turn: Turn): void {
    this.turn = turn;
    turn.response.once('close', () => this.#next(turn));
    this.#answer(turn);
  }

  #next(turn: Turn): void {
    this.turn = undefined;
    this.#untakenSince = null;
    this.#unread = turn.request.complete ? undefined : turn;
    if (!this.socket.destroyed && !this.socket.writableEnded) {
      const next = this.#waiting.shift();
      if (next !== undefined) this.#begin(next);
      else if (this.isOver) this.#lastWord();
    }
    this.#open.update(this);
  }

  /** A packet of 64 KiB can hold 3,000 requests: to stop within it, node's parser has to be told. */
  #watchParser(): void {
    const { parser } = this.socket as Socket & { parser?: Parser | null };
    const onIncoming = parser?.onIncoming;
    if (!parser || !onIncoming) return;
    parser.onIncoming = (request, keepAlive) => {
      if (!this.isOver) return onIncoming(request, keepAlive);
      this.dropPacket();
      return nothingMore;
    };
  }
}

function bytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}
