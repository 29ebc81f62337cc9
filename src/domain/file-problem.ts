import { systemCode } from './errors.ts';

const sentences: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) => `there is no file ${name}`,
  ENOTDIR: (name) => `there is no file ${name}`,
  EISDIR: (name) => `${name} is a directory, not a file`,
  EACCES: (name) => `this user may not read ${name}: run it as one who may`,
};

/** What the system refuses, and what to do. */
const refusals: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file or directory',
  ENOTDIR: 'a part of the path is no directory',
  EISDIR: 'it is a directory, not a file',
  EEXIST: 'it is there already',
  EACCES: 'this user may not: run it as one who may',
  EPERM: 'this user may not: run it as one who may',
  EROFS: 'its file system can only be read',
  ENOSPC: 'the disk is full: free space',
  EDQUOT: 'the quota of this user is used up: free space',
  EMFILE: 'this process has too many open files: raise its limit (ulimit -n)',
  ENFILE: 'the system has too many open files',
  EPIPE: 'what reads the output has ended',
};

/** An error of the system as a sentence, about `what` if that is given; its own words where jobd has none. */
export function systemProblem(error: NodeJS.ErrnoException, what?: string): string {
  const { code = '', path, syscall = '', message } = error;
  const refusal = refusals[code];
  if (refusal === undefined) return what === undefined ? message : `${what}: ${message}`;
  return `${what ?? path ?? syscall}: ${refusal} (${code})`;
}

/** What is wrong with the file called `name`, by the error of the system when it was opened or read. */
export function fileProblem(name: string, error: unknown): string {
  const code = systemCode(error);
  return sentences[code]?.(name) ?? `${name} cannot be read: ${code}`;
}
