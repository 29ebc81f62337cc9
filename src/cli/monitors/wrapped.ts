/** Runs a command as its caller would: same standard streams, exit code and signals. Its output is read only on request. */

import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { hasTerminal } from '../terminal/has-terminal.ts';

export interface Ended {
  /** As in a shell: 128 plus the number of a signal, 127 if there is no such command, 126 if it cannot be run. */
  exitCode: number;
  /** The end of its stdout and stderr, if requested. */
  output: string | null;
  /** Why it did not start; null if it did. */
  failure: string | null;
}

export interface Wrapped {
  ended: Promise<Ended>;
  /** Stops passing signals. */
  release: () => void;
}

/** The end of the output that is kept. */
const outputBytes = 4_096;
/**
 * Processes that the command left behind may keep its output open. After this silence they are not waited for. The
 * output of the command itself is always passed on whole, however slowly it is read.
 */
const longestSilenceMs = 1_000;

/** Starts the command. `onSignal` is called for signals that arrive after its end. */
export function startWrapped(
  command: readonly string[],
  { keepOutput, onSignal }: { keepOutput: boolean; onSignal: () => void },
): Wrapped {
  // Before the start: a signal may come as soon as the command runs.
  const { passTo, release } = catchSignals(onSignal);
  const child = start(command, keepOutput ? 'pipe' : 'inherit');
  if (child instanceof Error) {
    release();
    const ended = { exitCode: 126, output: null, failure: child.message };
    return { ended: Promise.resolve(ended), release: () => {} };
  }
  passTo(child);
  const tail = keepOutput ? keepTail(child) : null;
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const ended = new Promise<Ended>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      if (child.pid !== undefined) return;
      const exitCode = error.code === 'ENOENT' ? 127 : 126;
      const failure = error.code === 'ENOENT' ? `${command[0]}: command not found` : error.message;
      resolve({ exitCode, output: null, failure });
    });
    child.once('exit', (code, signal) => {
      const exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
      const drained = tail === null ? undefined : drain(child, closed);
      void Promise.resolve(drained).then(() =>
        resolve({ exitCode, output: tail?.() ?? null, failure: null }),
      );
    });
  });
  return { ended, release };
}

/** spawn throws for arguments that are too long, for example; a missing command fails later. */
function start(
  [name = '', ...args]: readonly string[],
  output: 'pipe' | 'inherit',
): ChildProcess | Error {
  try {
    return spawn(name, args, { stdio: ['inherit', output, output] });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Ctrl-C on a terminal reaches the command directly: passing it on would send it twice. */
function catchSignals(onSignal: () => void): {
  passTo: (child: ChildProcess) => void;
  release: () => void;
} {
  let child: ChildProcess | undefined;
  const isOnTerminal = hasTerminal();
  const pass = (signal: NodeJS.Signals): void => {
    const isRunning = child?.exitCode === null && child.signalCode === null;
    if (!isRunning) return onSignal();
    if (signal === 'SIGTERM' || !isOnTerminal) child?.kill(signal);
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;
  for (const signal of signals) process.on(signal, pass);
  return {
    passTo: (started) => {
      child = started;
    },
    release: () => {
      for (const signal of signals) process.off(signal, pass);
    },
  };
}

/** Passes the output on. Returns a function that gives its end as text. */
function keepTail(child: ChildProcess): () => string {
  let tail = Buffer.alloc(0);
  for (const name of ['stdout', 'stderr'] as const) {
    const from = child[name];
    const to = process[name];
    // When a reader closes the pipe, the command notices as it would without jobd.
    to.removeAllListeners('error').on('error', () => from?.destroy());
    from?.on('data', (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-outputBytes);
    });
    from?.pipe(to, { end: false });
  }
  return () => {
    const first = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    // Drops the rest of a character that was cut.
    return tail.subarray(Math.min(Math.max(first, 0), 3)).toString();
  };
}

/** Waits until the output ends or is silent. */
async function drain(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const { promise: silent, resolve: giveUp } = Promise.withResolvers<void>();
  let isSilent = true;
  // A slow reader also delays this process: read what arrived meanwhile before judging.
  const silence = setTimeout(() => {
    isSilent = true;
    setImmediate(() => {
      if (isSilent && !streams.some((stream) => stream.isPaused())) giveUp();
      else silence.refresh();
    });
  }, longestSilenceMs);
  for (const stream of streams) {
    stream.on('data', () => {
      isSilent = false;
      silence.refresh();
    });
  }
  await Promise.race([closed, silent]);
  clearTimeout(silence);
  for (const stream of streams) stream.destroy();
}
