/** Where else on this machine a database of jobd may be: for a command that finds none. */

import type { NamedDirectory } from '../../config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { RunningServer } from './running.ts';
import type { Service } from './service.ts';

/** What a directory holds, as far as this user may know. */
export type Holding = 'database' | 'nothing' | 'unknown';

/** What this machine says about data directories. */
export interface Known {
  service: (Service & { holding: Holding }) | null;
  servers: readonly RunningServer[];
  /** The user who asks; undefined where the system has no such numbers. */
  uid: number | undefined;
}

/** A directory, with why it was looked into. */
export function nameOf({ path, namedBy }: NamedDirectory, service: Service | null = null): string {
  return `${path} (${namedBy ?? (service?.dataDir === path ? 'of the service' : 'your default')})`;
}

/** The error of a command that finds no database. Its notes are the places that jobd knows, and what to do. */
export function noDatabase(directory: NamedDirectory, { service, servers, uid }: Known): JobdError {
  const places = new Map<string, { why: string[]; holding: Holding }>();
  const add = (path: string, why: string, holding: Holding): void => {
    if (path === directory.path) return;
    const place = places.get(path) ?? { why: [], holding };
    places.set(path, { ...place, why: [...place.why, why] });
  };
  if (service !== null) add(service.dataDir, `the service, by ${service.namedIn}`, service.holding);
  for (const { pid, uid: owner, dataDir } of servers) {
    const who = `jobd serve, process ${pid} of ${owner === 0 ? 'root' : `user ${owner}`}`;
    // What it serves has a database. Nothing is looked into because some process names it.
    const holding = uid === 0 || uid === owner ? 'database' : 'unknown';
    if (dataDir !== null) add(dataDir, who, holding);
    // That of the service is closed to others, who may not know its directory.
    else if (service === null) add('an unknown directory', who, 'unknown');
  }
  const notes = Array.from(places, ([path, { why, holding }]) => {
    return `${path}: ${[...why, ...holdingWords[holding]].join(', ')}`;
  });
  const sentence = `there is no database in ${nameOf(directory, service)}`;
  return new JobdError('not_found', sentence, { notes: [...notes, remedyAmong(places, service)] });
}

const holdingWords: Readonly<Record<Holding, readonly string[]>> = {
  database: [],
  nothing: ['no database there'],
  unknown: ['closed to you'],
};

/** The directory of the service is the likely one; among others, only people can tell. */
function remedyAmong(
  places: ReadonlyMap<string, { holding: Holding }>,
  service: Service | null,
): string {
  for (const [holding, command] of remedies) {
    const paths = [...places.keys()].filter(
      (path) => path.startsWith('/') && places.get(path)?.holding === holding,
    );
    const [first, ...others] = paths;
    if (first === undefined) continue;
    const isLikely = others.length === 0 || first === service?.dataDir;
    return isLikely ? `try: ${command} … --data ${first}` : `choose one: ${command} … --data DIR`;
  }
  return 'jobd serve makes one; --data DIR names another directory';
}

const remedies = [
  ['database', 'jobd'],
  ['unknown', 'sudo jobd'],
] as const;
