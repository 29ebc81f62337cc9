/** Where else on this machine a database of jobd may be: for a command that finds none. */

import type { NamedDirectory } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { RunningServer } from './running.ts';
import type { Service } from './service.ts';

/** What a directory holds, as far as this user may know. */
export type Holding = 'database' | 'nothing' | 'unknown';

type ServicePlace = Pick<Service, 'dataDir' | 'namedIn'>;

/** What this machine says about data directories. */
export interface Known {
  service: (ServicePlace & { holding: Holding }) | null;
  servers: readonly RunningServer[];
  /** The user who asks; undefined where the system has no such numbers. */
  uid: number | undefined;
}

/** A directory, with why it was looked into. */
export function nameOf(
  { path, namedBy }: NamedDirectory,
  service: ServicePlace | null = null,
): string {
  return `${path} (${namedBy ?? (service?.dataDir === path ? 'of the service' : 'your default')})`;
}

/** A directory that may have a database. */
interface Place {
  /** The file that names it as that of the service; null if none does. */
  namedIn: string | null;
  servers: RunningServer[];
  holding: Holding;
}

/** The error of a command that finds no database. Its notes are the places that jobd knows, and what to do. */
export function noDatabase(directory: NamedDirectory, known: Known): JobdError {
  const places = placesIn(known);
  places.delete(directory.path);
  const notes = Array.from(places, ([path, place]) => `${path}: ${placeWords(place)}`);
  const sentence = `there is no database in ${nameOf(directory, known.service)}`;
  return new JobdError('not_found', sentence, {
    notes: [...notes, remedyAmong(places, known.service)],
  });
}

function placesIn({ service, servers, uid }: Known): Map<string, Place> {
  const places = new Map<string, Place>();
  if (service !== null) {
    const { dataDir, namedIn, holding } = service;
    places.set(dataDir, { namedIn, servers: [], holding });
  }
  for (const server of servers) {
    // That of the service is closed to others, who may not know its directory.
    if (server.dataDir === null && service !== null) continue;
    const path = server.dataDir ?? 'an unknown directory';
    // What it serves has a database. Nothing is looked into because some process names it.
    const mayLook = server.dataDir !== null && (uid === 0 || uid === server.uid);
    const holding = mayLook ? 'database' : 'unknown';
    const place = places.get(path) ?? { namedIn: null, servers: [], holding };
    places.set(path, { ...place, servers: [...place.servers, server] });
  }
  return places;
}

/** `jobd serve (process 4711, user jobd), started by jobd.service` */
function placeWords({ namedIn, servers, holding }: Place): string {
  const words = servers.map(({ pid, user, unit }) => {
    const process = `jobd serve (process ${pid}, user ${user})`;
    return unit === null ? process : `${process}, started by ${unit}`;
  });
  const isExplained = servers.some(({ unit }) => unit !== null);
  if (namedIn !== null && !isExplained) words.unshift(`data of the service (${namedIn})`);
  return [...words, ...holdingWords[holding]].join(', ');
}

const holdingWords: Readonly<Record<Holding, readonly string[]>> = {
  database: [],
  nothing: ['no database there'],
  unknown: ['closed to you'],
};

/** The directory of the service is the likely one; among others, only people can tell. */
function remedyAmong(
  places: ReadonlyMap<string, { holding: Holding }>,
  service: ServicePlace | null,
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
