/** Writes definitions as YAML, for a repository. The same jobs, monitors and channels always give the same text. */

import { Scalar, stringify } from 'yaml';
import { channelKinds, type ChannelType } from '../../../domain/alerts/kinds/registry.ts';
import { beyondJson, escapeUnit } from '../../../domain/characters.ts';
import { hasIdleSchedule } from '../../../domain/jobs/job.ts';
import { defaultCronExpr } from '../../../domain/schedule/fields.ts';
import { defaultSchedule } from '../../../domain/schedule/schedule.ts';
import type { Form } from './fields.ts';
import { fileKinds, hiddenNamesOf } from './kinds.ts';
import type { FileKind, Fields, Input, Section } from './kinds.ts';
import type { DefinedItems } from './server.ts';

/** The file, and the names of the variables it needs. */
export interface Exported {
  text: string;
  variables: string[];
}

/** Definitions by section, in the order in which they are written. */
export type WrittenSections = Readonly<
  Partial<Record<Section, readonly (readonly [key: string, fields: Fields])[]>>
>;

/** Writes the definitions of all that the server has, by key. Applying the file adopts one made by hand under a key from its name. */
export function exportAll(items: DefinedItems): Exported {
  const variables = new Set<string>();
  const keyed = fileKinds.map((kind) => ({ kind, keys: withAnyKey(items[kind.section], kind) }));
  // The server names one without a key by its id.
  const keyOf = new Map(
    keyed.flatMap(({ kind, keys }) => (kind.section === 'channels' ? [] : [...keys])),
  );
  const named = (name: unknown): unknown => keyOf.get(String(name)) ?? name;
  const written = keyed.map(({ kind, keys }) => {
    const ordered = items[kind.section]
      .map((item) => ({ ...item, ownKey: keys.get(item.id) ?? item.id }))
      .toSorted((one, other) => (one.ownKey < other.ownKey ? -1 : 1));
    const definitions = ordered.map(({ id, key, ownKey, definition }) => {
      const names = hiddenNamesOf(kind, definition).filter(
        (name) => !isGenerated(definition, name),
      );
      const references = names.map((name) => [name, `\${${variableOf(ownKey, name, variables)}}`]);
      const { after, jobs, monitors } = definition;
      const all = {
        ...definition,
        ...(names.length > 0 && { [kind.hidden ?? '']: Object.fromEntries(references) }),
        ...(key === null && { adopt: id }),
        ...(typeof after === 'string' && { after: named(after) }),
        ...(Array.isArray(jobs) && { jobs: jobs.map(named) }),
        ...(Array.isArray(monitors) && { monitors: monitors.map(named) }),
      };
      return [ownKey, fieldsOf(kind, ownKey, all)] as const;
    });
    return [kind.section, definitions];
  });
  const text = fileOf(Object.fromEntries(written) as WrittenSections, [...variables]);
  return { text, variables: [...variables] };
}

/** Keys for all of a section, by id. */
function withAnyKey(all: DefinedItems[Section], { noun }: FileKind): Map<string, string> {
  const taken = new Set(all.map(({ key }) => key).filter((key) => key !== null));
  // Ids are in the order of creation, so the same names get the same keys.
  const inOrder = all.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return new Map(
    inOrder.map(({ id, key, definition }) => {
      return [id, key ?? unique(slugOf(String(definition['name']), noun), taken)];
    }),
  );
}

/** Whether jobd keeps a value by itself, where a definition leaves it out. */
function isGenerated({ type }: Input, name: string): boolean {
  const kind = channelKinds[type as ChannelType] as (typeof channelKinds)[ChannelType] | undefined;
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
  const check = '# Bodies and URLs are written as they are: check them before you share this file.';
  return `${check}\n# Values of headers and channels that may be secret are variables. Set these:\n${lines.join('\n')}\n\n`;
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

/** A variable for a value that nobody is shown: `SECRET_NIGHTLY_BACKUP_AUTHORIZATION`; jobd's own begin otherwise. Adds it to `taken`. */
export function variableOf(key: string, name: string, taken: Set<string>): string {
  const variable = `SECRET_${key}_${name}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return unique(variable.replace(/(?<!_)_+$/, ''), taken, '_');
}

/** The fields of a definition by their names in files, in the order of their table. What has its default is left out. */
export function fieldsOf(kind: FileKind, key: string, input: Input): Fields {
  const whole = 'cron' in kind.fields ? withSchedule(input) : input;
  const written = Object.entries(kind.fields).flatMap(([name, { api, form }]) => {
    const value = whole[api] ?? undefined;
    const isDefault = value === undefined || (name === 'name' && value === key);
    return isDefault ? [] : [[name, writtenAs(form, value)]];
  });
  return Object.fromEntries(written) as Fields;
}

function writtenAs(form: Form, value: unknown): unknown {
  if (form.kind === 'list') return (value as string[]).toSorted();
  if (form.kind === 'text') return form.write?.(value as never) ?? value;
  const names = Object.keys(value as object).toSorted();
  return new Map(names.map((name) => [name, (value as Record<string, unknown>)[name]]));
}

/** A definition whose schedule is written, even if it is the default; not what it does not use. */
function withSchedule(input: Input): Input {
  const timezone = input['timezone'] ?? defaultSchedule.timezone;
  const isUsualZone = timezone === defaultSchedule.timezone;
  const zone = isUsualZone ? null : timezone;
  if (hasIdleSchedule(input))
    return { ...input, cronExpr: null, timezone: zone, periodSeconds: null };
  if (input['scheduleType'] === 'period') return { ...input, cronExpr: null, timezone: zone };
  const cronExpr = input['cronExpr'] ?? defaultCronExpr;
  return { ...input, cronExpr, timezone, periodSeconds: null };
}

/** Characters that YAML would write as they are, although terminals and editors interpret them. */
const unseen = new RegExp(String.raw`[${beyondJson}\u200c\u200d]`, 'g');

/** YAML of a value. */
export function yamlOf(value: unknown): string {
  const text = stringify(visible(value), {
    lineWidth: 0,
    schema: 'core',
    version: '1.2',
    compat: 'yaml-1.1',
    aliasDuplicateObjects: false,
  });
  return text.replaceAll(unseen, escapeUnit);
}

/** Lines that begin and end with a visible character: a YAML block shows them unchanged. */
const plainLines = /^\S.*\S\n?$/s;

/** Puts texts with invisible characters into quotes, where they can be escaped. */
function visible(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(visible);
  if (typeof value === 'object' && value !== null) {
    const entries = value instanceof Map ? [...value] : Object.entries(value);
    return new Map(entries.map(([name, inner]) => [name, visible(inner)]));
  }
  if (typeof value !== 'string') return value;
  const isBlock = !value.includes('\n') || plainLines.test(value);
  if (isBlock && value.search(unseen) === -1) return value;
  const scalar = new Scalar(value);
  scalar.type = Scalar.QUOTE_DOUBLE;
  return scalar;
}
