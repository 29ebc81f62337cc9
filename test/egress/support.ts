/** Scripted targets on loopback, and an egress that may call them. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { TestContext } from 'node:test';
import type {
  AttemptResult,
  Failure,
  Response,
  TargetResult,
} from '../../src/domain/runs/outcome.ts';
import { parseAllowTargets } from '../../src/domain/targets/target.ts';
import { Deadlines, type Phase } from '../../src/egress/deadline.ts';
import {
  createEgress,
  type Call,
  type Egress,
  type EgressOptions,
} from '../../src/egress/egress.ts';
import type { FakeTimers } from '../support/fakes/timers.ts';
import { until } from '../support/until.ts';

export interface Target {
  port: number;
  url: string;
  /** Connections accepted so far, and those still open. */
  connections: number;
  open: Set<Socket>;
  /** Every request so far: head and body as text. */
  requests: string[];
  close(): Promise<void>;
}

/** The response to the n-th request (from 0, over all connections). */
export type Behaviour = (socket: Socket, request: string, index: number) => void;

/** Starts a target on 127.0.0.1 that speaks raw TCP, or TLS with `tls`; it stops with the test. */
export async function startTarget(
  t: TestContext,
  behave: Behaviour,
  options: { tls?: TlsOptions; greet?: (socket: Socket) => void; host?: string } = {},
): Promise<Target> {
  const host = options.host ?? '127.0.0.1';
  const target: Target = {
    port: 0,
    url: '',
    connections: 0,
    open: new Set(),
    requests: [],
    close: async () => {},
  };
  const onConnection = (socket: Socket): void => {
    options.greet?.(socket);
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      for (;;) {
        const length = requestLength(received);
        if (length === null) return;
        const request = received.slice(0, length);
        received = received.slice(length);
        target.requests.push(request);
        behave(socket, request, target.requests.length - 1);
      }
    });
  };
  const server =
    options.tls === undefined
      ? createServer(onConnection)
      : createTlsServer(options.tls, onConnection);
  server.on('connection', (socket: Socket) => {
    target.connections++;
    target.open.add(socket);
    socket.on('error', () => {}).on('close', () => target.open.delete(socket));
  });
  server.on('tlsClientError', () => {});
  server.on('secureConnection', (socket: Socket) => socket.on('error', () => {}));
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  target.port = address.port;
  target.url = `http${options.tls === undefined ? '' : 's'}://${host}:${target.port}/`;
  target.close = async () => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    for (const socket of target.open) socket.destroy();
    await closed;
  };
  t.after(() => target.close());
  return target;
}

function requestLength(received: string): number | null {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const bodyLength = Number(
    /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1] ?? 0,
  );
  const length = headEnd + 4 + bodyLength;
  return received.length < length ? null : length;
}

/** A header by which a target promises to keep the connection open. */
export const kept = 'keep-alive: timeout=60\r\n';

/** A complete answer with Content-Length. */
export function answer(body: string | Buffer, status = '200 OK', headers = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 ${status}\r\ncontent-length: ${bytes.length}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** An egress that may call 127.0.0.1 on every port; disposed with the test. */
export function startEgress(t: TestContext, options: Partial<EgressOptions> = {}): Egress {
  const egress = createEgress({
    allowTargets: parseAllowTargets(['127.0.0.1/32:*']),
    connectionsPerHost: 16,
    userAgent: 'jobd/test',
    ...options,
  });
  t.after(() => egress[Symbol.asyncDispose]());
  return egress;
}

/** A GET that has time enough, and the changes of a test. */
export function get(url: string, changes: Partial<Call> = {}): Call {
  return { url, method: 'GET', headers: {}, body: null, timeoutMs: 60_000, ...changes };
}

/** The result of an attempt; fails if this machine could not make it. */
export function ofTarget(result: AttemptResult): TargetResult {
  if ('trouble' in result) throw new Error(result.trouble);
  return result;
}

/** The failure of an attempt; fails if it succeeded. */
export function failureOf(result: AttemptResult): Failure {
  if (result.kind !== 'failure') throw new Error(`no failure: ${JSON.stringify(result)}`);
  return result.failure;
}

/** The response of an attempt; fails if there is none. */
export function responseOf(result: AttemptResult): Response {
  if (result.kind !== 'response') throw new Error(`no response: ${JSON.stringify(result)}`);
  return result.response;
}

/** Waits until something is true. */
export async function eventually(fact: () => boolean): Promise<void> {
  await until(fact.toString(), fact);
}

/** Waits until as many calls on these timers are in a phase. */
export async function inPhase(timers: FakeTimers, phase: Phase, calls = 1): Promise<void> {
  await until(`${calls} calls ${phase}`, () => callsIn(timers, phase) === calls);
}

/** How many calls on these timers are in a phase. */
export function callsIn(timers: FakeTimers, phase: Phase): number {
  const running = timers.waiting.flatMap(({ given }) =>
    given instanceof Deadlines ? [...given] : [],
  );
  return running.filter((deadline) => deadline.phase === phase).length;
}
