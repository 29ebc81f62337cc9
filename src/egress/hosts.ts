/** The hosts file: names that the operator of this machine has given addresses (hosts(5)). */
import { readFileSync, statSync } from 'node:fs';
import { ifPossible } from '../domain/errors.ts';
import { localTrouble } from './failure.ts';

/** Larger files are lists of blocked advertisers, and not read. */
const maxFileBytes = 4 * 1024 * 1024;

/** Returns the addresses the hosts file gives a name, in its order; none if it has no such name. */
export type HostsFile = (name: string) => readonly string[];

/** Reads the hosts file at `path`, again when it has changed. One that cannot be read has no names. Throws LocalTrouble. */
export function openHostsFile(path: string): HostsFile {
  let version = '';
  let names = new Map<string, string[]>();
  return (name) => {
    const stat = ifPossible(() => statSync(path));
    const current = stat === undefined ? '' : `${stat.mtimeMs}:${stat.ino}:${stat.size}`;
    if (current !== version) {
      names = stat === undefined || stat.size > maxFileBytes ? new Map() : readNames(path);
      version = current;
    }
    return names.get(name) ?? [];
  };
}

function readNames(path: string): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const line of readText(path).split('\n')) {
    const [address, ...aliases] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (address === undefined || address === '') continue;
    for (const alias of aliases) {
      const name = alias.toLowerCase();
      const addresses = names.get(name);
      if (addresses === undefined) names.set(name, [address]);
      else if (!addresses.includes(address)) addresses.push(address);
    }
  }
  return names;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const trouble = localTrouble(error);
    if (trouble !== null) throw trouble;
    // Gone or unreadable since the stat: the same as a file without names.
    return '';
  }
}
