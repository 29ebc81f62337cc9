/** Why a file that somebody named cannot be read, as a sentence. */

import { systemCode } from './errors.ts';

const sentences: Readonly<Record<string, (name: string) => string>> = {
  ENOENT: (name) => `there is no file ${name}`,
  ENOTDIR: (name) => `there is no file ${name}`,
  EISDIR: (name) => `${name} is a directory, not a file`,
  EACCES: (name) => `this user may not read ${name}: run it as one who may`,
};

/** What is wrong with the file called `name`, by the error of the system when it was opened or read. */
export function fileProblem(name: string, error: unknown): string {
  const code = systemCode(error);
  return sentences[code]?.(name) ?? `${name} cannot be read: ${code}`;
}
