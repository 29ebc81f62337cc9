/** Labels as people type them: `client=acme` sets one, `client-` removes it. */

import type { Command } from 'commander';
import { got, invalidInput, JobdError } from '../domain/errors.ts';
import { labelWords, readLabels, type Labels } from '../domain/labels.ts';
import type { Flags } from '../settings/config.ts';
import type { Api } from './client/api.ts';
import { connect } from './client/connect.ts';
import type { Context } from './context.ts';
import { actOn, type Many } from './many.ts';
import { select, withSelection, type Selectable } from './selection.ts';
import type { Columns } from './terminal/output.ts';

const form = 'client=acme, or client- to remove it';

/** Labels after some changes; null for none. Throws `invalid_input`; `what` names what was typed. */
export function labelsAfter(
  before: Labels | null | undefined,
  changes: readonly string[],
  what: string,
): Labels | null {
  const labels = new Map(Object.entries(before ?? {}));
  for (const change of changes) {
    const [, key = '', value] = /^([^=]+?)(?:=(.*)|-)$/s.exec(change) ?? [];
    if (key === '') throw invalidInput(`${what} must be ${form}, ${got(change)}`);
    if (value === undefined) labels.delete(key);
    else labels.set(key, value);
  }
  return readLabels(Object.fromEntries(labels));
}

/** Adds those labels to an update that `--label` and `--no-label` leave as they are. */
export function keepLabels(
  found: object & { labels?: Labels },
  given: object & { labels?: Labels | null },
  { label }: Flags,
): void {
  if (Array.isArray(label)) given.labels = labelsAfter(found.labels, label, '--label');
}

/** The column of a list of what may have labels. */
export const labelsColumn: Columns<{ labels?: Labels }> = {
  labels: ({ labels }) => labelWords(labels) || null,
};

/** Adds the command that changes labels of many. */
export function addLabelCommand<Item, Update, Status extends string>(
  group: Command,
  context: Context,
  resource: Many<Item, Update> & { statuses: readonly Status[]; example: string },
  selectable: (api: Api) => Selectable<Status>,
): void {
  const { noun, statuses, example, of } = resource;
  const command = `jobd ${noun}s label`;
  withSelection(group.command('label'), noun, statuses, `, then labels: ${form}`)
    .description(`set or remove labels of ${noun}s`)
    .addHelpText(
      'after',
      `\nExamples:\n  ${command} ${example} client=acme env-\n  ${command} --selector client=acme env=prod`,
    )
    .action(async (words: string[], flags: Flags) => {
      const last = words.findLastIndex((word) => !/=|-$/.test(word)) + 1;
      const [names, changes] = [words.slice(0, last), words.slice(last)];
      if (changes.length === 0) {
        throw new JobdError('usage', `say what to change: ${command} ${example} ${form}`);
      }
      labelsAfter(null, changes, 'a label');
      const api = connect(context, { waits: true });
      const found = await select(names, flags, selectable(api));
      const updateFor = ({ labels }: { labels?: Labels }): Update =>
        ({ labels: labelsAfter(labels, changes, 'a label') }) as Update;
      await actOn(context, { noun, of, updateFor }, api, 'label', found, flags);
    });
}
