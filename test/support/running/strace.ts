/** strace(1), which ends a process at a given system call or makes the call fail. Linux only. */

import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { ifPossible } from '../../../src/domain/errors.ts';
import { until } from '../until.ts';

/** Why strace cannot be used here, or false. */
export const cannotTrace = whyNot();

function whyNot(): string | false {
  const tried = spawnSync('strace', ['-qq', '-e', 'trace=none', 'true'], { encoding: 'utf8' });
  if (tried.error !== undefined) return 'strace is not installed';
  return tried.status === 0 ? false : `strace may not trace here: ${tried.stderr.trim()}`;
}

/**
 * The wrapper command with a fault, as in `fsync:signal=SIGKILL:when=3` (strace(1), "Tampering").
 * The tracer detaches itself, so that the started process is the command.
 */
export function withFault(fault: string): string[] {
  // Without --seccomp-bpf: with it, strace 6.1 does not deliver the signals it injects.
  return ['strace', '-D', '-f', '-qq', '-o', '/dev/null', ...tampering(fault)];
}

function tampering(fault: string): string[] {
  const [calls = ''] = fault.split(':');
  return ['-e', `trace=${calls}`, '-e', `inject=${fault}`];
}

/** A fault in a running process. */
export interface Fault {
  /** Ends the fault; resolves when the process is free of it. */
  lift(): Promise<void>;
}

/** Injects a fault into all threads of a running process; resolves once it is in effect. */
export async function injectFault(t: TestContext, pid: number, fault: string): Promise<Fault> {
  return await inject(t, pid, ['-f', ...tampering(fault)]);
}

/** The same for the one thread that has this name. */
export async function injectFaultInto(
  t: TestContext,
  { pid, name }: { pid: number; name: string },
  fault: string,
): Promise<Fault> {
  const tasks = `/proc/${pid}/task`;
  // A thread may end meanwhile.
  const isNamed = (id: string) =>
    ifPossible(() => readFileSync(`${tasks}/${id}/comm`, 'utf8'))?.trim() === name;
  const thread = await until(`a thread ${name}`, () => readdirSync(tasks).find(isNamed));
  return await inject(t, Number(thread), tampering(fault));
}

async function inject(t: TestContext, pid: number, how: readonly string[]): Promise<Fault> {
  const args = ['-p', String(pid), '-o', '/dev/null', ...how];
  const tracer = spawn('strace', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => {
    tracer.once('exit', () => resolve());
  });
  t.after(() => tracer.kill('SIGKILL'));
  let said = '';
  tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await until('strace to attach', () => said.includes(`${pid} attached`));
  return {
    async lift() {
      tracer.kill('SIGINT');
      await ended;
    },
  };
}
