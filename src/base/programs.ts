/** Runs other programs to their end: an executable of jobd, systemctl, or a command of the operator. */

import { spawn } from 'node:child_process';
import { messageOf } from '../domain/errors.ts';

export interface ProgramEnd {
  isOk: boolean;
  /** Null if it did not run, or was killed. */
  exitCode: number | null;
  stdout: string;
  /** The end of what it said, or why it did not run, as one line. */
  said: string;
}

const mostKept = 64 * 1024;
const mostSaid = 600;

/** Runs it, and kills it when its time is over. Never rejects. */
export function runToEnd(
  [file = '', ...args]: readonly string[],
  timeoutMs: number,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    let stdout = '';
    let stderr = '';
    const failed = (error: unknown): void =>
      resolve({ isOk: false, exitCode: null, stdout, said: messageOf(error) });
    try {
      // A group of its own: Ctrl-C is for this process.
      const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
      const timer = setTimeout(() => killGroup(child.pid), timeoutMs);
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        stdout = (stdout + text).slice(-mostKept);
      });
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        stderr = (stderr + text).slice(-mostKept);
      });
      child.once('error', (error) => {
        clearTimeout(timer);
        failed(error);
      });
      // What it left running in the background may keep its output open.
      child.once('exit', (code, signal) => {
        clearTimeout(timer);
        setTimeout(() => {
          child.stdout.destroy();
          child.stderr.destroy();
          const how = code === null ? `ended by ${signal ?? 'a signal'}` : `exit code ${code}`;
          const said = (stderr.trim() || stdout.trim())
            .slice(-mostSaid)
            .replace(/(?<!\s)\s*\n\s*/g, '; ');
          resolve({ isOk: code === 0, exitCode: code, stdout, said: said || how });
        }, 50);
      });
    } catch (error) {
      failed(error);
    }
  });
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}
