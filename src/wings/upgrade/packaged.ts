/** Executables that a package manager has installed: it has to replace them, or it would put its own back at its next run. */

import { readFileSync } from 'node:fs';
import { JobdError } from '../../domain/errors.ts';

/** The files of the Debian package. */
const debianFiles = '/var/lib/dpkg/info/jobd.list';

/** Refuses an executable that belongs to a package. Throws `conflict`, with the command to run instead. */
export function requireUnpackaged(executable: string, listOfDebian = debianFiles): void {
  const [owner, command] = ownerOf(executable, listOfDebian) ?? [];
  if (command === undefined) return;
  throw new JobdError('conflict', `${executable} belongs to a package of ${owner}`, {
    notes: [`upgrade the package: ${command}`],
  });
}

function ownerOf(
  executable: string,
  listOfDebian: string,
): [owner: string, command: string] | null {
  if (linesOf(listOfDebian).includes(executable)) return ['Debian', 'sudo apt upgrade jobd'];
  if (executable.includes('/node_modules/@jobd/')) return ['npm', 'npm install --global jobd'];
  if (executable.includes('/Cellar/jobd/')) return ['Homebrew', 'brew upgrade jobd'];
  return null;
}

function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
