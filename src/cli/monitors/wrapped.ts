/**
 * Runs a command as if nobody stood between it and its caller: the same standard streams, the same exit
 * code, signals passed on. Its output is looked at only if that is asked for.
 */

import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { isatty } from 'node:tty';

/** How a command ended. */
export interface Ended {
  /** As a shell gives it: 128 and its number for a signal, 127 if there is no such command, 126 if it cannot be run. */
  exitCode: number;
  /** The end of what it wrote to stdout and stderr, if that was asked for. */
  output: string | null;
  /** Why it could not be started; null if it was. */
  failure: string | null;
}

export interface Wrapped {
  ended: Promise<Ended>;
  /** Passes no signals on any more. */
  release: () => void;
}

/** What is kept of the output. */
const outputBytes = 4_096;
/**
 * Processes that the command left behind may hold its output open: they are not waited for once it has been
 * silent for so long. What the command wrote itself is passed on whole, however slowly it is read.
 */
const longestSilenceMs = 1_000;

/** Starts the command; `onSignal` hears of signals that come when it has ended. */
export function startWrapped(
  command: readonly string[],
  { keepOutput, onSignal }: { keepOutput: boolean; onSignal: () => void },
): Wrapped {
  // Before the start: who has seen the command at work may send a signal at once.
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
      const failure = error.code === 'ENOENT' ? `there is no ${command[0]}` : error.message;
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

/** Arguments that are too long, say, are thrown at once; a command that is not there fails later. */
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

/** Ctrl-C on a terminal reaches the command by itself: passed on, it would come twice. */
function catchSignals(onSignal: () => void): {
  passTo: (child: ChildProcess) => void;
  release: () => void;
} {
  let child: ChildProcess | undefined;
  // Not `process.stdin`: to make that stream would change how the command reads.
  const hasTerminal = [0, 1, 2].some((fd) => isatty(fd));
  const pass = (signal: NodeJS.Signals): void => {
    const isRunning = child?.exitCode === null && child.signalCode === null;
    if (!isRunning) return onSignal();
    if (signal === 'SIGTERM' || !hasTerminal) child?.kill(signal);
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

/** Passes the output on, and returns what gives its end as text. */
function keepTail(child: ChildProcess): () => string {
  let tail = Buffer.alloc(0);
  for (const name of ['stdout', 'stderr'] as const) {
    const from = child[name];
    const to = process[name];
    // A reader that has had enough is no reason to end: the command hears of it as it would alone.
    to.removeAllListeners('error').on('error', () => from?.destroy());
    from?.on('data', (chunk: Buffer) => {
      tail = Buffer.concat([tail, chunk]).subarray(-outputBytes);
    });
    from?.pipe(to, { end: false });
  }
  return () => {
    const first = tail.findIndex((byte) => (byte & 0xc0) !== 0x80);
    // A character that begins before what is kept is left out.
    return tail.subarray(Math.min(Math.max(first, 0), 3)).toString();
  };
}

/** Waits for the end of the output, or for its silence. */
async function drain(child: ChildProcess, closed: Promise<void>): Promise<void> {
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const { promise: silent, resolve: giveUp } = Promise.withResolvers<void>();
  let isSilent = true;
  // A reader that is slow holds up this process too: what came meanwhile is read before it is judged.
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
