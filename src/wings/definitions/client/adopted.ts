/** What definitions adopt and so has no key yet, although other definitions name it by that key already. */

import type { Definition, Input, ManagedItem } from './kind.ts';
import type { ManagedItems } from './server.ts';

/** The sections whose keys others name. */
const sections = ['jobs', 'monitors'] as const;
type NamedSection = (typeof sections)[number];

/** The ids of what is adopted, by section and key. */
export type AdoptedIds = Readonly<Record<NamedSection, ReadonlyMap<string, string>>>;

/** Finds what definitions would adopt. */
export function adoptedIds(definitions: readonly Definition[], managed: ManagedItems): AdoptedIds {
  const idsOf = (section: NamedSection): Map<string, string> => {
    const hasKey = new Set(managed[section].map(({ key }: ManagedItem) => key));
    const entries = definitions.flatMap(({ kind, key, adopt }) =>
      kind.section === section && adopt !== undefined && !hasKey.has(key)
        ? [[key, adopt] as const]
        : [],
    );
    return new Map(entries);
  };
  return { jobs: idsOf('jobs'), monitors: idsOf('monitors') };
}

/** A definition that names what is adopted by its id, as the server does until it has its key. */
export function withAdoptedIds(definition: Definition, ids: AdoptedIds): Definition {
  const { after } = definition.input;
  const served = sections.flatMap((section) => {
    const named = definition.input[section];
    if (!Array.isArray(named)) return [];
    return [[section, named.map((key: string) => ids[section].get(key) ?? key)] as const];
  });
  const input: Input = {
    ...definition.input,
    ...Object.fromEntries(served),
    ...(typeof after === 'string' && { after: ids.jobs.get(after) ?? after }),
  };
  return { ...definition, input };
}

/** The keys that jobs and monitors get, by id. */
export function keysOfAdopted({ jobs, monitors }: AdoptedIds): [id: string, key: string][] {
  return [...jobs, ...monitors].map(([key, id]) => [id.toLowerCase(), key]);
}
