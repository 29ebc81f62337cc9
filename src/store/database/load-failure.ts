/** Why a library could not be put into a file or loaded from it, in words that say what to do. */

const ofSystem: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EROFS: 'it is on a read-only file system',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  ENOENT: 'it is not there, and neither is what it would be in',
  ELOOP: 'it is a symbolic link',
  ENOTDIR: 'it is no directory, or a symbolic link',
};

/** A part of a sentence. What the loader of the system says is told by what it means. */
export function whyNotLoaded(error: unknown): string {
  const { message, code = '' } = error as NodeJS.ErrnoException;
  const needed = /version [`']GLIBC_([\d.]+)' not found/.exec(message)?.[1];
  if (needed !== undefined) {
    return `it needs glibc ${needed} or newer, this system has ${glibcVersion()}`;
  }
  if (/failed to map segment|cannot enable executable/.test(message)) {
    return 'it is mounted noexec; mount it with exec, or name another directory by --data or XDG_CACHE_HOME';
  }
  return ofSystem[code] ?? message;
}

function glibcVersion(): string {
  const { header } = process.report.getReport() as { header?: { glibcVersionRuntime?: string } };
  return header?.glibcVersionRuntime ?? 'an older one, or none';
}
