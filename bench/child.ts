/** Processes of a benchmark that exchange messages with it, and the clock that they share. */

import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Every message has a kind. */
export interface Message {
  kind: string;
}

/** A running child; disposing of it ends it. */
export interface Child<Received extends Message, Sent extends Message> extends AsyncDisposable {
  readonly pid: number;
  send(message: Sent): void;
  /** The first message of this kind that nobody took yet. Rejects after `withinMs`. */
  receive<Kind extends Received['kind']>(
    kind: Kind,
    withinMs: number,
  ): Promise<Extract<Received, { kind: Kind }>>;
}

/** Starts `bench/FILE` with the same stdout and stderr. `env` is added to the environment of this process. */
export function startChild<Received extends Message, Sent extends Message>(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Child<Received, Sent> {
  const child = fork(join(import.meta.dirname, file), args, {
    serialization: 'advanced',
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
  const untaken: Received[] = [];
  const listeners = new Set<() => void>();
  let ended: string | null = null;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = `${file} ended with ${signal ?? code}`;
      for (const listen of listeners) listen();
      resolve();
    });
  });
  child.on('message', (message) => {
    untaken.push(message as Received);
    for (const listen of listeners) listen();
  });

  return {
    pid,
    send: (message) => void child.send(message),
    receive: (kind, withinMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          fail(`${file} did not send "${kind}" within ${withinMs} ms`);
        }, withinMs);
        const stop = (): void => {
          clearTimeout(timer);
          listeners.delete(listen);
        };
        const fail = (why: string): void => {
          stop();
          reject(new Error(why));
        };
        const listen = (): void => {
          const index = untaken.findIndex((message) => message.kind === kind);
          const [message] = index === -1 ? [] : untaken.splice(index, 1);
          if (message !== undefined) {
            stop();
            resolve(message as Extract<Received, { kind: typeof kind }>);
          } else if (ended !== null) fail(ended);
        };
        listeners.add(listen);
        listen();
      }),
    async [Symbol.asyncDispose]() {
      if (ended !== null) return;
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Sends a message from a child to its parent. */
export function sendToParent(message: Message): void {
  process.send?.(message);
}

/** Receives the parent's messages in a child, which ends with its parent. */
export function onMessage(handle: (message: unknown) => void): void {
  process.on('message', handle);
  process.once('disconnect', () => process.exit());
}

/**
 * What to add to `performance.now()` for epoch milliseconds and their fractions. It waits for the next tick of the wall
 * clock, at most 1 ms. To be called for each round: over minutes the wall clock is adjusted and the monotonic one is not.
 */
export function wallOffset(): number {
  const before = Date.now();
  for (;;) {
    const now = Date.now();
    if (now !== before) return now - performance.now();
  }
}
