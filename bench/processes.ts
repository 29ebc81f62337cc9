/** What the kernel says about a process and about a directory. Linux only: it reads /proc. */

import { readFileSync, readdirSync, realpathSync } from 'node:fs';
import { sum } from './statistics.ts';

/** What the threads of a process had of the processors so far, in seconds: the kernel counts nanoseconds. */
export interface CpuTimes {
  /** By thread: the time it ran. */
  ran: Map<string, number>;
  /** The time that its main thread could have run and something else did. */
  mainWaited: number;
}

/** Reads them from `/proc/PID/task/TID/schedstat` (Linux, Documentation/scheduler/sched-stats). */
export function cpuTimes(pid: number): CpuTimes {
  const tasks = `/proc/${pid}/task`;
  const ran = new Map<string, number>();
  let mainWaited = 0;
  for (const id of readdirSync(tasks)) {
    const [ranNs, waitedNs] = readFileSync(`${tasks}/${id}/schedstat`, 'utf8')
      .split(' ')
      .map(Number);
    ran.set(id, (ranNs ?? NaN) / 1e9);
    if (Number(id) === pid) mainWaited = (waitedNs ?? NaN) / 1e9;
  }
  return { ran, mainWaited };
}

/** CPU seconds of all threads of a process so far. */
export function cpuSeconds(pid: number): number {
  return sum([...cpuTimes(pid).ran.values()]);
}

/** What a process used between two looks, in seconds. */
export interface CpuUse {
  cpuSeconds: number;
  /** Of the thread that ran the longest: what could not be done at the same time. */
  busiestThreadSeconds: number;
  /** What its main thread waited for a processor: how busy the machine was with others. */
  mainWaitedSeconds: number;
}

/** What a process has used since a look; threads that ended meanwhile do not count. */
export function cpuUse(pid: number, before: CpuTimes): CpuUse {
  const now = cpuTimes(pid);
  const ran = [...now.ran].map(([id, seconds]) => seconds - (before.ran.get(id) ?? 0));
  return {
    cpuSeconds: sum(ran),
    busiestThreadSeconds: Math.max(...ran),
    mainWaitedSeconds: now.mainWaited - before.mainWaited,
  };
}

/** The most memory a process has had resident, in MB (10^6 bytes). */
export function peakRssMb(pid: number): number {
  return statusMb(pid, 'VmHWM');
}

/** The memory a process has resident now, in MB (10^6 bytes). */
export function rssMb(pid: number): number {
  return statusMb(pid, 'VmRSS');
}

function statusMb(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const match = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status);
  return (Number(match?.[1]) * 1_024) / 1e6;
}

/** The type of the file system that holds a directory: `ext4`, `tmpfs`. */
export function fileSystemOf(directory: string): string {
  const path = realpathSync(directory);
  const mounts = readFileSync('/proc/self/mounts', 'utf8').trim().split('\n');
  let found = { point: '', type: 'unknown' };
  for (const mount of mounts) {
    const [, point = '', type = ''] = mount.split(' ');
    const holds = path === point || path.startsWith(point.endsWith('/') ? point : `${point}/`);
    // Of several mounts on one point, the last one is the one seen.
    if (holds && point.length >= found.point.length) found = { point, type };
  }
  return found.type;
}
