/** Runs a command of this program as a process of its own: work that would keep this one from answering. */

import { spawn } from 'node:child_process';
import { isSea } from 'node:sea';
import { setPriority } from 'node:os';
import { text } from 'node:stream/consumers';

/** The lowest priority but one: calls come first. */
const priority = 10;
/** A message has a few lines. */
const longestMessage = 1_000;

/** Runs it with these arguments and returns its standard output. Throws its message if it fails; `signal` ends it. */
export async function runOwnCommand(args: readonly string[], signal: AbortSignal): Promise<string> {
  const program = isSea() ? [] : [...process.execArgv, process.argv[1] ?? ''];
  const child = spawn(process.execPath, [...program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, endedBy) => resolve(endedBy ?? `exit code ${code}`));
  });
  giveWay(child.pid);
  const [how, output, message] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (how === 'exit code 0') return output;
  const words = message.trim().replace(/^jobd: /, '');
  throw new Error((words || `it ended with ${how}`).slice(0, longestMessage));
}

/** A sandbox may forbid it. */
function giveWay(pid: number | undefined): void {
  try {
    if (pid !== undefined) setPriority(pid, priority);
  } catch {
    // It runs with the same priority then.
  }
}
