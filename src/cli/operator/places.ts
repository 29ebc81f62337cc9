/** Where else on this machine a database of jobd may be: for a command that finds none. */

import type { NamedDirectory } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { RunningServer } from './running.ts';
import type { Service } from './service.ts';

/** What a directory holds, as far as this user may know. */
export type Holding = 'database' | 'nothing' | 'unknown';

/** What this machine says about data directories. */
export interface Known {
  service: Service | null;
  servers: readonly RunningServer[];
  /** Whether root asks. */
  isRoot: boolean;
  /** Looks into a directory; never throws. */
  holdingOf: (directory: string) => Holding;
}

/** Why a directory was looked into, as the end of a sentence. */
export function nameOf({ path, namedBy }: NamedDirectory, service: Service | null = null): string {
  if (namedBy !== null) return `${path} (${namedBy})`;
  const isService = service?.dataDir === path;
  return `${path}, ${isService ? 'the data directory of the service' : 'your default data directory'}`;
}

/** The error of a command that finds no database. Its notes are the places that jobd knows, and what to do. */
export function noDatabase(
  directory: NamedDirectory,
  { service, servers, isRoot, holdingOf }: Known,
): JobdError {
  const places = new Map<string, string[]>();
  const add = (path: string, why: string): void => {
    if (path !== directory.path) places.set(path, [...(places.get(path) ?? []), why]);
  };
  if (service !== null) add(service.dataDir, `the service, by ${service.namedIn}`);
  for (const { pid, uid, dataDir } of servers) {
    const who = `jobd serve, process ${pid} of ${uid === 0 ? 'root' : `user ${uid}`}`;
    // That of the service hides its directory from others, and so do the processes of other users.
    if (dataDir !== null) add(dataDir, who);
    else if (service === null) add('an unknown directory', who);
  }
  const known = [...places].map(([path, why]) => ({ path, why, holding: holdingOf(path) }));
  const notes = known.map(
    ({ path, why, holding }) => `${path}: ${[...why, ...holdingWords[holding]].join(', ')}`,
  );
  const sentence = `there is no database in ${nameOf(directory, service)}`;
  return new JobdError('not_found', sentence, { notes: [...notes, remedyAmong(known, isRoot)] });
}

const holdingWords: Readonly<Record<Holding, readonly string[]>> = {
  database: [],
  nothing: ['no database there'],
  unknown: ['closed to you'],
};

function remedyAmong(
  known: readonly { path: string; holding: Holding }[],
  isRoot: boolean,
): string {
  const open = known.find(({ holding }) => holding === 'database');
  if (open !== undefined) return `try: jobd … --data ${open.path}`;
  const closed = known.find(({ holding }) => holding === 'unknown');
  if (closed !== undefined && !isRoot) return `try: sudo jobd … --data ${closed.path}`;
  return 'jobd serve makes one; --data DIR names another directory';
}
