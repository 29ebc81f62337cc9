/**
 * One client connection. It answers its requests one after the other: each starts when the client has taken the previous answer,
 * and a few may wait. This bounds what one connection can make the server keep. Node would start all requests of a packet at
 * once, up to 2,000 of them, and keep the answers.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { closeGently, createPatience } from './closing.ts';
import type { Client, Peer } from './clients.ts';
import type { OpenConnection, OpenConnections } from './open-connections.ts';

/** A request that is answered or waits for it. */
export interface Turn {
  request: IncomingMessage;
  response: ServerResponse;
  client: Client;
  /** Whether it has been counted already, for its key or its address. */
  isCounted: boolean;
  /** Whether its address is over the rate limit. */
  isRefused: boolean;
}

/** How many requests may wait, and their total size. After more, these are answered and the connection is closed. */
export const mostWaiting = 16;
const mostWaitingBytes = 4 * 1024;

/** Tells Node's parser to ignore the rest of a packet, as if another protocol followed. */
const ignoreRest = 2;

interface Parser {
  onIncoming?: ((request: IncomingMessage, keepAlive: boolean) => number) | null;
}

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket; undefined after it was released, as for a tunnel. */
export function connectionOf(socket: Socket): Connection | undefined {
  return connections.get(socket);
}

/** Lives as long as its socket. */
export class Connection implements OpenConnection {
  readonly socket: Socket;
  readonly peer: Peer;
  /** That of the client of the last request: a proxy sends requests of many. */
  addressGroup: string;
  isTrusted = false;
  activeAt: number;
  /** The request that is being answered. */
  turn: Turn | undefined;
  /** Since when sent data has been waiting for the client, monotonic milliseconds; null if it has read all. */
  untakenSince: number | null = null;
  readonly #open: OpenConnections<Connection>;
  readonly #answer: (turn: Turn) => void;
  readonly #waiting: Turn[] = [];
  /** The last answered request, if its body had not arrived completely by then. */
  #unread: Turn | undefined;
  /** Ends the connection after the last waiting request. */
  #lastWord = (): void => closeGently(this.socket);
  /** Null while requests are read. After that, whether the client has sent little enough to be ignored. */
  #isPatient: (() => boolean) | null = null;

  constructor(
    socket: Socket,
    place: { peer: Peer; now: number; open: OpenConnections<Connection> },
    answer: (turn: Turn) => void,
  ) {
    this.socket = socket;
    this.peer = place.peer;
    this.addressGroup = place.peer.group;
    this.activeAt = place.now;
    this.#open = place.open;
    this.#answer = answer;
    connections.set(socket, this);
    this.#watchParser();
  }

  /** A client that sends a request or reads an answer slowly does not make its connection busy. */
  get isBusy(): boolean {
    return this.turn?.request.complete === true && this.untakenSince === null;
  }

  /** Whether no further requests are read. */
  get isOver(): boolean {
    return this.#isPatient !== null;
  }

  /** Answers a new request, or lets it wait. */
  add(turn: Turn, now: number): void {
    if (this.isOver) return;
    this.activeAt = now;
    this.#open.update(this, turn.client.group);
    const mayWait = this.turn === undefined || this.#canWait(turn);
    // Node's parser drops what follows an Upgrade in its packet, and would take the rest of that for a request.
    const isLast = turn.request.headers.upgrade !== undefined;
    if (isLast) turn.response.shouldKeepAlive = false;
    if (isLast || turn.isRefused || !mayWait) this.stopReading();
    if (!mayWait) return;
    if (this.turn !== undefined) this.#waiting.push(turn);
    else this.#begin(turn);
  }

  /** Makes the connection one of those that are closed last, once the current request has arrived completely. */
  trust(): void {
    if (this.isTrusted) return;
    const request = this.turn?.request;
    const trustNow = (): void => {
      this.isTrusted = true;
      this.#open.update(this);
    };
    if (request?.complete === false) request.once('end', trustNow);
    else trustNow();
  }

  /** The request whose bytes are arriving; undefined between two requests. */
  get arriving(): Turn | undefined {
    const last = this.#waiting.at(-1) ?? this.turn ?? this.#unread;
    return last?.request.complete === false ? last : undefined;
  }

  /** Ignores all further input. The connection is closed after the waiting requests are answered. */
  stopReading(): void {
    if (this.isOver) return;
    this.#isPatient = createPatience(this.socket);
    // Node calls this after an answer with `Connection: close`.
    this.socket.destroySoon = () => closeGently(this.socket);
  }

  /**
   * Ends the connection because its input is invalid: `say` sends the last answer, after the answers to earlier requests. If
   * the body of a request is invalid, that request gets only one answer.
   */
  endWith(say: () => void): void {
    this.stopReading();
    if (this.#waiting.at(-1)?.request.complete === false) this.#waiting.pop();
    const { turn } = this;
    if (turn === undefined && this.#unread?.request.complete !== false) say();
    else if (turn === undefined || !turn.request.complete) this.#breakOff(turn, say);
    else this.#lastWord = say;
  }

  /** Handles a packet that arrived after the last request was read. */
  dropPacket(): void {
    if (this.#isPatient?.() === false) this.socket.destroy();
  }

  close(): void {
    this.socket.destroy();
  }

  /** Must be called regularly. A client may read its answers slowly, but not for ever, and no requests wait meanwhile. */
  lookAtUntaken(takeTimeoutMs: number): void {
    const now = performance.now();
    if (this.socket.writableLength === 0) this.untakenSince = null;
    else if (this.untakenSince === null) {
      this.untakenSince = now;
      if (this.#waiting.splice(0).length > 0) this.stopReading();
    } else if (now - this.untakenSince > takeTimeoutMs) this.close();
  }

  #canWait({ request }: Turn): boolean {
    if (this.untakenSince !== null || this.#waiting.length === mostWaiting) return false;
    const bytes = this.#waiting.reduce((sum, turn) => sum + bytesOf(turn.request), 0);
    return bytes + bytesOf(request) <= mostWaitingBytes;
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
    this.untakenSince = null;
    this.#unread = turn.request.complete ? undefined : turn;
    if (this.socket.destroyed || this.socket.writableEnded) return;
    const next = this.#waiting.shift();
    if (next !== undefined) this.#begin(next);
    else if (this.isOver) this.#lastWord();
  }

  /** A packet of 64 KiB can contain 3,000 requests. To stop in the middle of one, Node's parser must be told. */
  #watchParser(): void {
    const { parser } = this.socket as Socket & { parser?: Parser | null };
    const onIncoming = parser?.onIncoming;
    if (!parser || !onIncoming) return;
    parser.onIncoming = (request, keepAlive) => {
      if (!this.isOver) return onIncoming(request, keepAlive);
      this.dropPacket();
      return ignoreRest;
    };
  }
}

/** Closes connections until at most `most` bytes wait: of the address that leaves most, those that have waited longest. */
export function closeUntaken(all: Iterable<Connection>, most: number): void {
  const waiting = [...all]
    .filter(({ untakenSince }) => untakenSince !== null)
    .toSorted((a, b) => (a.untakenSince ?? 0) - (b.untakenSince ?? 0));
  const bytes = (of: Connection[]) => of.reduce((sum, one) => sum + one.socket.writableLength, 0);
  const groups = [...Map.groupBy(waiting, ({ addressGroup }) => addressGroup).values()];
  let left = bytes(waiting);
  for (const connection of groups.toSorted((a, b) => bytes(b) - bytes(a)).flat()) {
    if (left <= most) return;
    left -= connection.socket.writableLength;
    connection.close();
  }
}

function bytesOf({ url = '', rawHeaders }: IncomingMessage): number {
  return rawHeaders.reduce((sum, text) => sum + text.length, url.length);
}
