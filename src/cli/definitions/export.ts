/** Writes all jobs as a definition file that a repository can keep. */

import type { EditableFields } from '../../domain/jobs/job.ts';
import { fieldsOf, literalOf, yamlOf } from './write-definitions.ts';
import type { Fields } from './write-definitions.ts';

/** A job as the API shows it. */
export interface ExportedJob extends Omit<EditableFields, 'headers'> {
  id: string;
  headerNames: readonly string[];
}

/** The file, and the names of the variables it needs. */
export interface Exported {
  text: string;
  variables: string[];
}

/**
 * Writes the definitions of jobs, ordered by key. `keys` has the keys of managed jobs, by job id; a job made by hand gets
 * a key made from its name, and applying the file adopts it.
 */
export function exportJobs(
  jobs: readonly ExportedJob[],
  keys: ReadonlyMap<string, string>,
  defaultTimeoutSeconds: number,
): Exported {
  const taken = new Set(keys.values());
  const named = jobs
    // Ids are in the order of creation, so the same jobs get the same keys.
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
    .map((job) => ({ job, key: keys.get(job.id) ?? unique(slugOf(job.name), taken) }))
    .toSorted((one, other) => (one.key < other.key ? -1 : 1));
  const variables = new Set<string>();
  const definitions = named.map(({ key, job }) => {
    const references = job.headerNames
      .toSorted()
      .map((name) => [name, `\${${variableOf(key, name, variables)}}`]);
    const headers = Object.fromEntries(references) as Record<string, string>;
    const adopt = keys.has(job.id) ? {} : { adopt: job.id };
    const fields = fieldsOf(
      key,
      { ...literalOf(job), headers },
      { defaultTimeoutSeconds, ...adopt },
    );
    return [key, fields] as const;
  });
  return { text: fileOf(definitions, [...variables]), variables: [...variables] };
}

/** The text of a file with these definitions, which refer to these variables. */
export function fileOf(
  definitions: readonly (readonly [key: string, fields: Fields])[],
  variables: readonly string[],
): string {
  const text = definitions.length === 0 ? 'jobs: {}\n' : yamlOf({ jobs: new Map(definitions) });
  return headOf(variables) + spaced(text);
}

function headOf(variables: readonly string[]): string {
  if (variables.length === 0) return '';
  const lines = variables.map((name) => `#   ${name}`);
  return `# Values that may be secret are not in this file. Set these variables:\n${lines.join('\n')}\n\n`;
}

/** A blank line between jobs. */
function spaced(text: string): string {
  return text.replaceAll(/\n(?= {2}[^ \n])/g, '\n\n').replace('jobs:\n\n', 'jobs:\n');
}

/** A key made from a name: `Nightly Backup (EU)` becomes `nightly-backup-eu`. */
export function slugOf(name: string): string {
  const slug = name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9._]+/g, '-')
    .replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/g, '')
    .slice(0, 50);
  return slug === '' ? 'job' : slug;
}

/** The name, with a number if it is taken. Adds it to `taken`. */
export function unique(name: string, taken: Set<string>, separator = '-'): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}${separator}${number}`;
  taken.add(free);
  return free;
}

/** A variable for the value of a header: `JOBD_NIGHTLY_BACKUP_AUTHORIZATION`. Adds it to `taken`. */
export function variableOf(key: string, header: string, taken: Set<string>): string {
  const name = `JOBD_${key}_${header}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return unique(name.replace(/_+$/, ''), taken, '_');
}
