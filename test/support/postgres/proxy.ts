/**
 * Stands between a daemon and a PostgreSQL server, reads what is asked, and breaks a connection where a test wants it: before
 * a request gets there, or after it was done and before its answer is back.
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A statement on its way to the server. */
export interface Request {
  text: string;
  /** Its number in its transaction, where `begin` is 0; -1 outside. */
  index: number;
  /** The first statement of its transaction after `begin`; empty before that and outside. */
  first: string;
}

/**
 * What becomes of a request: it passes; it is lost, with its connection; it is done, and its answer is lost with the
 * connection; or nothing of the connection moves any more.
 */
export type Fate = 'passes' | 'is lost' | 'is done, its answer is lost' | 'is stuck';

export interface Proxy {
  /** The same database, through it. */
  readonly urlOf: (database: string) => string;
  /** Decides what becomes of each request. By default all pass. */
  decide: (request: Request) => Fate;
  /** Whether nothing comes through any more, in either direction, on old connections and new ones. */
  isFrozen: boolean;
  /** Breaks all connections. */
  readonly cut: () => void;
  /** Changes what the server answers. */
  rewrite: (answer: Buffer) => Buffer;
}

/** Starts it before the server on this port; it ends with the test. */
export async function startProxy(t: TestContext, port: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  // A frozen connection does not learn that the other side is gone.
  const server = createServer({ allowHalfOpen: true }, (daemon) => {
    const upstream = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    for (const socket of [daemon, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    }
    relay(daemon, upstream, proxy);
  });
  const proxy: Proxy = {
    urlOf(database) {
      const { port: own } = server.address() as AddressInfo;
      return Object.assign(new URL(database), { port: String(own) }).href;
    },
    decide: () => 'passes',
    isFrozen: false,
    cut: () => sockets.forEach((socket) => socket.resetAndDestroy()),
    rewrite: (answer) => answer,
  };
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return proxy;
}

function relay(daemon: Socket, upstream: Socket, proxy: Proxy): void {
  const read = requestReader();
  let fate: Fate = 'passes';
  const cut = (): void => {
    for (const socket of [daemon, upstream]) socket.resetAndDestroy();
  };
  daemon.on('data', (chunk: Buffer) => {
    if (proxy.isFrozen) return;
    for (const { bytes, request } of read(chunk)) {
      if (fate === 'is stuck') return;
      if (request !== null) fate = proxy.decide(request);
      if (fate === 'is lost') return cut();
      if (fate !== 'is stuck') upstream.write(bytes);
    }
  });
  upstream.on('data', (chunk: Buffer) => {
    if (proxy.isFrozen) return;
    if (fate === 'passes') daemon.write(proxy.rewrite(chunk));
    // ReadyForQuery is the last message of an answer, and five bytes long.
    else if (fate === 'is done, its answer is lost' && chunk.at(-6) === code('Z')) cut();
  });
  for (const [one, other] of [
    [daemon, upstream],
    [upstream, daemon],
  ] as const) {
    one.once('end', () => proxy.isFrozen || other.end());
    one.once('close', () => proxy.isFrozen || other.destroy());
  }
}

/** Makes a function that cuts a stream into requests. What is no request of a statement has none. */
function requestReader(): (chunk: Buffer) => { bytes: Buffer; request: Request | null }[] {
  const prepared = new Map<string, string>();
  let isStarted = false;
  let rest: Buffer = Buffer.alloc(0);
  /** The messages of the request so far, and the text of its statement. */
  let messages: Buffer[] = [];
  let text = '';
  let index = -1;
  let first = '';

  function endRequest(): { bytes: Buffer; request: Request } {
    if (text.startsWith('begin')) index = 0;
    else if (index >= 0) index += 1;
    if (index === 1) first = text;
    const ended = { bytes: Buffer.concat(messages), request: { text, index, first } };
    messages = [];
    if (text === 'commit' || text === 'rollback') {
      index = -1;
      first = '';
    }
    return ended;
  }

  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const found: { bytes: Buffer; request: Request | null }[] = [];
    for (;;) {
      // The first message of a connection has no type.
      const start = isStarted ? 1 : 0;
      if (rest.length < start + 4) return found;
      const end = start + rest.readInt32BE(start);
      if (rest.length < end) return found;
      const message = rest.subarray(0, end);
      rest = rest.subarray(end);
      const type = isStarted ? String.fromCharCode(message[0] ?? 0) : 'startup';
      isStarted = true;
      messages.push(message);
      const texts = message.subarray(5).toString('latin1').split('\0');
      if (type === 'Q') text = texts[0] ?? '';
      else if (type === 'P') prepared.set(texts[0] ?? '', (text = texts[1] ?? ''));
      else if (type === 'B') text = prepared.get(texts[1] ?? '') ?? '';
      if (type === 'Q' || type === 'S') found.push(endRequest());
      else if (type === 'startup' || type === 'X') {
        found.push({ bytes: Buffer.concat(messages.splice(0)), request: null });
      }
    }
  };
}

function code(letter: string): number {
  return letter.charCodeAt(0);
}
