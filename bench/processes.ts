/** What the kernel says about a process and about a directory. Linux only: it reads /proc. */

import { readFileSync, realpathSync } from 'node:fs';

/** The kernel counts CPU time for people in hundredths of a second (USER_HZ, proc(5)). */
const tickSeconds = 0.01;

/** User and system CPU seconds of all threads of a process so far. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is the program's name in parentheses, which may contain anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * tickSeconds;
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
