/** Writes all jobs, monitors and channels as a definition file that a repository can keep. */

import { channelKinds } from '../../../domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../domain/alerts/kinds/registry.ts';
import type { FileKind, Fields, Section, ManagedItem } from './kind.ts';
import { fileKinds } from './kinds.ts';
import { keysById, withKeys } from './server.ts';
import type { ManagedItems } from './server.ts';
import { fieldsOf, yamlOf } from './write-definitions.ts';

/** The file, and the names of the variables it needs. */
export interface Exported {
  text: string;
  variables: string[];
}

/** Definitions by section, in the order in which they are written. */
export type WrittenSections = Readonly<
  Partial<Record<Section, readonly (readonly [key: string, fields: Fields])[]>>
>;

/**
 * Writes the definitions of all that the server has, ordered by key. One made by hand gets a key made from its name, and
 * applying the file adopts it. A channel no longer names what was deleted.
 */
export function exportAll(items: ManagedItems, defaultTimeoutSeconds: number): Exported {
  const keyed = new Map(
    fileKinds.map(({ section, noun }) => [section, withAnyKey(items, section, noun)]),
  );
  const keyOf = (section: Section, { id }: ManagedItem) => keyed.get(section)?.get(id) ?? null;
  const known = keysById(items, keyOf);
  const variables = new Set<string>();
  const fieldsOfItem = (kind: FileKind, key: string, item: ManagedItem): Fields => {
    const references = item.hiddenNames
      .filter((name) => !isGenerated(item, name))
      .toSorted()
      .map((name) => [name, `\${${variableOf(key, name, variables)}}`]);
    const hidden = kind.hidden && { [kind.hidden]: Object.fromEntries(references) };
    const adopt = item.key === null ? { adopt: item.id } : {};
    return fieldsOf(
      kind,
      key,
      { ...item.document, ...hidden },
      { defaultTimeoutSeconds, ...adopt },
    );
  };
  const written = fileKinds.map((kind): [Section, (readonly [string, Fields])[]] => {
    const { section } = kind;
    const keyedItems = items[section].map((item) => ({ key: keyOf(section, item) ?? '', item }));
    const definitions = keyedItems
      .toSorted((one, other) => (one.key < other.key ? -1 : 1))
      .map(({ key, item }) => {
        const named = withKeys(section, item, known);
        const whole = section === 'channels' ? withoutDeleted(named, known) : named;
        return [key, fieldsOfItem(kind, key, whole)] as const;
      });
    return [section, definitions];
  });
  return { text: fileOf(Object.fromEntries(written), [...variables]), variables: [...variables] };
}

/** Keys for all of a section, by id. */
function withAnyKey(items: ManagedItems, section: Section, noun: string): Map<string, string> {
  const all = items[section];
  const taken = new Set(all.map(({ key }) => key).filter((key) => key !== null));
  return new Map(
    all
      // Ids are in the order of creation, so the same names get the same keys.
      .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ id, key, name }) => [id, key ?? unique(slugOf(name, noun), taken)]),
  );
}

function withoutDeleted(item: ManagedItem, known: ReadonlyMap<string, unknown>): ManagedItem {
  const left = (ids: 'jobIds' | 'monitorIds', keys: 'jobs' | 'monitors'): string[] | null => {
    const served = item.document[ids] as readonly string[] | null;
    const gone = new Set((served ?? []).filter((id) => !known.has(id)));
    const named = item.document[keys] as readonly string[] | null;
    return named && named.filter((key) => !gone.has(key));
  };
  const served = { jobs: left('jobIds', 'jobs'), monitors: left('monitorIds', 'monitors') };
  return { ...item, document: { ...item.document, ...served } };
}

/** Whether jobd keeps a value by itself, where a definition leaves it out. */
function isGenerated({ document }: ManagedItem, name: string): boolean {
  const kind = channelKinds[document['type'] as ChannelType] as
    | (typeof channelKinds)[ChannelType]
    | undefined;
  return kind?.fields[name]?.generate !== undefined;
}

/** The text of a file with these definitions, which refer to these variables. */
export function fileOf(sections: WrittenSections, variables: readonly string[]): string {
  const filled = fileKinds.flatMap(({ section }) => {
    const definitions = sections[section] ?? [];
    return definitions.length === 0 ? [] : [spaced(section, definitions)];
  });
  return headOf(variables) + (filled.length === 0 ? 'jobs: {}\n' : filled.join('\n'));
}

function headOf(variables: readonly string[]): string {
  if (variables.length === 0) return '';
  const lines = variables.map((name) => `#   ${name}`);
  return `# Values that may be secret are not in this file. Set these variables:\n${lines.join('\n')}\n\n`;
}

/** A section, with a blank line between definitions. */
function spaced(
  section: Section,
  definitions: readonly (readonly [key: string, fields: Fields])[],
): string {
  return yamlOf({ [section]: new Map(definitions) })
    .replaceAll(/\n(?= {2}[^ \n])/g, '\n\n')
    .replace(':\n\n', ':\n');
}

/** A key made from a name: `Nightly Backup (EU)` becomes `nightly-backup-eu`. `noun` is the key where nothing is left. */
export function slugOf(name: string, noun: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/g, '')
    .slice(0, 50);
  return slug === '' ? noun : slug;
}

/** The name, with a number if it is taken. Adds it to `taken`. */
export function unique(name: string, taken: Set<string>, separator = '-'): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}${separator}${number}`;
  taken.add(free);
  return free;
}

/** A variable for a value that nobody is shown: `JOBD_NIGHTLY_BACKUP_AUTHORIZATION`. Adds it to `taken`. */
export function variableOf(key: string, name: string, taken: Set<string>): string {
  const variable = `JOBD_${key}_${name}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return unique(variable.replace(/(?<!_)_+$/, ''), taken, '_');
}
