/** Who starts and stops the daemon: systemd, or commands of the operator; and whether the daemon has come up. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { JobdError, messageOf, systemCode } from '../../domain/errors.ts';
import { hasOpen } from '../../store/sqlite/in-place.ts';
import { requestReadiness } from '../../cli/client/client.ts';
import { isRoot } from '../../cli/operator/roots-files.ts';
import { isAlive, readNote, readPid } from './executable.ts';
import { runToEnd, type ProgramEnd } from '../../base/programs.ts';

export interface Supervisor {
  /** Whether the daemon runs; one that does not is not started. */
  isRunning(): Promise<boolean>;
  /** The start may take `waitMs` until the daemon is ready. */
  restart(waitMs: number): Promise<ProgramEnd>;
  stop(): Promise<ProgramEnd>;
  /** How often it was started again by itself; 0 where nobody knows. */
  restarts(): Promise<number>;
}

/** Calls in flight get 30 s to end, and a unit 45 s. */
const commandMs = 90_000;

/** systemd, for the service of install.sh. */
export function systemdSupervisor(): Supervisor {
  return {
    isRunning: async () => (await systemctl(commandMs, 'is-active', '--quiet', 'jobd')).isOk,
    async restart(waitMs) {
      // A unit that failed too often is not started any more.
      await systemctl(commandMs, 'reset-failed', 'jobd');
      return await systemctl(commandMs + waitMs, 'restart', 'jobd');
    },
    stop: () => systemctl(commandMs, 'stop', 'jobd'),
    async restarts() {
      const { stdout } = await systemctl(commandMs, 'show', 'jobd', '-p', 'NRestarts', '--value');
      return Number(stdout.trim()) || 0;
    },
  };
}

function systemctl(timeoutMs: number, ...words: string[]): Promise<ProgramEnd> {
  return runToEnd(['systemctl', ...words], timeoutMs);
}

/** Commands for `sh`. What serves the data after the one that stops, or without one, gets SIGTERM. */
export function commandSupervisor(
  dataDir: string,
  restartCommand: string,
  stopCommand: string | null,
): Supervisor {
  return {
    isRunning: async () => true,
    restart: () => shell(restartCommand),
    async stop() {
      const ended = stopCommand === null ? null : await shell(stopCommand);
      return ended?.isOk === false ? ended : await stopProcess(dataDir);
    },
    restarts: async () => 0,
  };
}

/** Whether systemd runs here (sd_booted(3)). */
export function hasSystemd(): boolean {
  return existsSync('/run/systemd/system');
}

/** The process that serves a data directory, as it says itself; null if none does. */
export function servingProcess(dataDir: string): number | null {
  const pid = readPid(join(dataDir, 'serve.pid'));
  if (pid === null || !isAlive(pid)) return null;
  // The number may be another one's by now, and the owner of the directory may write any: root must not stop what does not serve.
  return (hasOpen(`${pid}`, join(dataDir, 'serve.lock')) ?? !isRoot()) ? pid : null;
}

/** Where that process listens, as it says itself; null if none serves. */
export function servedUrl(dataDir: string): string | null {
  return servingProcess(dataDir) === null ? null : readNote(join(dataDir, 'serve.url'));
}

const stopMs = 45_000;

function shell(command: string): Promise<ProgramEnd> {
  return runToEnd(['/bin/sh', '-c', command], commandMs);
}

async function stopProcess(dataDir: string): Promise<ProgramEnd> {
  const pid = servingProcess(dataDir);
  if (pid !== null) {
    try {
      process.kill(pid, 'SIGTERM');
      // It releases the lock a moment before it ends.
      for (const end = Date.now() + stopMs; isAlive(pid) && Date.now() < end;) await sleep(100);
      if (servingProcess(dataDir) === pid) process.kill(pid, 'SIGKILL');
    } catch (error) {
      if (isAlive(pid)) return { isOk: false, exitCode: null, stdout: '', said: messageOf(error) };
    }
  }
  return { isOk: true, exitCode: 0, stdout: '', said: '' };
}

/** What `comesBack` goes by. */
export interface Watch {
  /** Null if the database is on a server. Then an answer after the restart is taken for that of the new process. */
  dataDir: string | null;
  /** Where `/readyz` is. */
  url: string;
  /** The process that served before; another one must serve now. */
  before: number | null;
  waitMs: number;
  supervisor: Supervisor;
}

const lookEveryMs = 250;
/** It has come up once it was ready for this long. */
const steadyMs = 2_000;
/** More starts than this mean that it ends again and again. */
const mostStarts = 3;

/** Restarts it, and waits until another process is ready and stays so. Returns null then, else why it did not come up. */
export async function comesBack(watch: Watch): Promise<string | null> {
  const { dataDir, url, before, waitMs, supervisor } = watch;
  const { isOk, said } = await supervisor.restart(waitMs);
  if (!isOk) return `it did not start: ${said}`;
  const restartsBefore = await supervisor.restarts();
  const end = Date.now() + waitMs;
  const seen = new Set<number>();
  let readySince: number | null = null;
  let steady: number | null = null;
  let trouble = 'it did not answer';
  while (Date.now() < end) {
    const pid = dataDir === null ? null : servingProcess(dataDir);
    if (pid !== null && pid !== before) seen.add(pid);
    const restarts = (await supervisor.restarts()) - restartsBefore;
    if (Math.max(seen.size - 1, restarts) >= mostStarts) {
      return `it ended and was started again ${mostStarts} times`;
    }
    const absent = dataDir === null ? null : absence(pid, before);
    const found = absent ?? (await ask(url))?.message ?? null;
    if (found !== null) trouble = found;
    if (found !== null || pid !== steady) readySince = null;
    steady = pid;
    if (found === null) {
      readySince ??= Date.now();
      if (Date.now() - readySince >= steadyMs) return null;
    }
    await sleep(lookEveryMs);
  }
  return `it was not ready within ${waitMs / 1_000} s: ${trouble}`;
}

function absence(pid: number | null, before: number | null): string | null {
  if (pid === null) return 'it does not serve the data';
  return pid === before ? `process ${pid}, which served before, still does` : null;
}

/** Throws `conflict` if nothing listens there: the new version would be taken for one that does not come up. */
export async function requireListener(url: string): Promise<void> {
  const trouble = await ask(url);
  if (trouble === null || systemCode(trouble.cause) === 'unknown') return;
  throw new JobdError('conflict', `${trouble.message}; nothing was changed`, {
    notes: ['name where jobd answers: --url URL', 'if it does not run, add --no-restart'],
  });
}

/** Why it is not ready; null if it is. */
async function ask(url: string): Promise<Error | null> {
  return await requestReadiness(`${url}/readyz`).then(
    () => null,
    (error: Error) => error,
  );
}
