/** A process of the bench: started from a file, spoken with by messages, ended by its id. */

import { fork } from 'node:child_process';
import { join } from 'node:path';

/** Every message says its kind. */
export interface Message {
  kind: string;
}

/** A running child; disposing of it ends it. */
export interface Child<Said extends Message, Told extends Message> extends AsyncDisposable {
  readonly pid: number;
  tell(message: Told): void;
  /** The next message of this kind, or the first that came and nobody took. Rejects after `withinMs`. */
  hear<Kind extends Said['kind']>(
    kind: Kind,
    withinMs: number,
  ): Promise<Extract<Said, { kind: Kind }>>;
}

/** Starts `bench/FILE` with arguments and, beside its own, an environment; it writes to the same stdout and stderr. */
export function startChild<Said extends Message, Told extends Message>(
  file: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Child<Said, Told> {
  const child = fork(join(import.meta.dirname, file), args, {
    serialization: 'advanced',
    env: { ...process.env, ...env },
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${file} could not be started`);
  const untaken: Said[] = [];
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
    untaken.push(message as Said);
    for (const listen of listeners) listen();
  });

  return {
    pid,
    tell: (message) => void child.send(message),
    hear: (kind, withinMs) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          fail(`${file} did not say "${kind}" within ${withinMs} ms`);
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
            resolve(message as Extract<Said, { kind: typeof kind }>);
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

/** Says something to the parent, inside a child. */
export function sayToParent(message: Message): void {
  process.send?.(message);
}

/** Listens to the parent, inside a child, which then ends with its parent. */
export function listenToParent(onTold: (message: unknown) => void): void {
  process.on('message', onTold);
  process.once('disconnect', () => process.exit());
}
