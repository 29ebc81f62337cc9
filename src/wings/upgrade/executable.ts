/** The executable of a service, replaced as a whole: its name always leads to a complete one. */

import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { JobdError, systemCode, unavailable } from '../../domain/errors.ts';
import { syncFile } from '../../base/whole-file.ts';

/** A directory beside the executable, for one upgrade at a time. Disposing of it removes it. */
export interface Workshop extends Disposable {
  directory: string;
}

/** Makes the directory. Throws `conflict` while another upgrade has one, and `unavailable` if nothing may be written there. */
export function openWorkshop(executable: string): Workshop {
  const directory = join(dirname(executable), '.jobd-upgrade');
  const pidFile = join(directory, 'pid');
  try {
    if (fs.existsSync(directory)) {
      const pid = readPid(pidFile);
      if (pid !== null && isAlive(pid)) {
        throw new JobdError('conflict', `another upgrade (process ${pid}) is not done yet`);
      }
      fs.rmSync(directory, { recursive: true });
    }
    fs.mkdirSync(directory, { mode: 0o700 });
    fs.writeFileSync(pidFile, `${process.pid}\n`);
  } catch (error) {
    if (error instanceof JobdError) throw error;
    const notes = systemCode(error) === 'EACCES' ? ['run it with sudo'] : [];
    throw new JobdError('unavailable', unavailable(`cannot write to ${directory}`, error).message, {
      cause: error,
      notes,
    });
  }
  const remove = (): void => fs.rmSync(directory, { recursive: true, force: true });
  return { directory, [Symbol.dispose]: remove };
}

/** The number in a file of a process; null if there is none. */
export function readPid(path: string): number | null {
  const pid = Number(readNote(path));
  return Number.isInteger(pid) && pid > 0 ? pid : null;
}

/** A line that the process that serves keeps in a file; null if there is none. */
export function readNote(path: string): string | null {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
  let descriptor: number | null = null;
  try {
    // Root reads it in a directory of another user.
    descriptor = fs.openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const start = Buffer.alloc(256);
    const [line = ''] = start.toString('latin1', 0, fs.readSync(descriptor, start)).split('\n');
    return line.trim() || null;
  } catch {
    return null;
  } finally {
    if (descriptor !== null) fs.closeSync(descriptor);
  }
}

/** Whether there is a process with this number. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}

/** Where the previous executable is kept, and one that did not work. */
export function namesBeside(executable: string): { previous: string; failed: string } {
  return { previous: `${executable}.previous`, failed: `${executable}.failed` };
}

/** Puts a new executable in place, and keeps the present one beside it. */
export function putExecutable(executable: string, fresh: string, directory: string): void {
  const kept = join(directory, 'previous');
  fs.linkSync(executable, kept);
  fs.renameSync(kept, namesBeside(executable).previous);
  fs.renameSync(fresh, executable);
  syncFile(dirname(executable));
}

/** Puts the previous executable back, and keeps the other one as failed. */
export function putBackExecutable(executable: string, directory: string): void {
  const { previous, failed } = namesBeside(executable);
  const draft = join(directory, 'back');
  const kept = join(directory, 'failed');
  fs.rmSync(draft, { force: true });
  fs.linkSync(previous, draft);
  fs.linkSync(executable, kept);
  fs.renameSync(kept, failed);
  fs.renameSync(draft, executable);
  syncFile(dirname(executable));
}
