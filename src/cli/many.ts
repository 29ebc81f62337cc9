/** Doing something to many jobs, monitors or channels at once. */

import type { Flags } from '../config.ts';
import { errorCodes, JobdError } from '../domain/errors.ts';
import type { Api, Collection } from './client/api.ts';
import type { Context } from './context.ts';
import type { Selected } from './selection.ts';
import { state } from './terminal/cell.ts';
import { printJson, printRows } from './terminal/output.ts';

/** What is needed to do something to many of them. */
export interface Many<Item, Update> {
  noun: string;
  of: (api: Api) => Collection<Item, Update>;
  /** What each action changes; others delete. */
  actions?: Readonly<Record<string, { update: Update }>>;
  /** Does something to many at once, where the server can: why each was left as it is, or null. */
  actOnMany?: (
    api: Api,
    action: string,
    ids: readonly string[],
  ) => Promise<readonly (string | null)[]>;
}

/** Jobs of one request. */
const mostAtOnce = 100;
const done: Readonly<Record<string, string>> = {
  pause: 'paused',
  resume: 'resumed',
  delete: 'deleted',
};

/** Does it to all of them, and prints what became of each. The exit code says whether one was refused. */
export async function actOn<Item, Update>(
  context: Context,
  resource: Many<Item, Update>,
  api: Api,
  action: string,
  found: readonly Selected[],
  flags: Flags,
): Promise<void> {
  const { output } = context;
  const { noun } = resource;
  const results: { id: string; name: string; error: string | null }[] = [];
  for (let from = 0; from < found.length; from += mostAtOnce) {
    const part = found.slice(from, from + mostAtOnce);
    const ids = part.map(({ id }) => id);
    const errors = await (resource.actOnMany ?? oneByOne(resource))(api, action, ids);
    for (const [index, { id, name }] of part.entries()) {
      results.push({ id, name, error: errors[index] ?? null });
    }
  }
  if (results.some(({ error }) => error !== null)) context.exitCode = errorCodes.conflict.exitCode;
  if (flags['json']) return printJson(output, { results });
  printRows(
    output,
    results,
    {
      [noun]: ({ name }) => name,
      result: ({ error }) => (error === null ? (done[action] ?? action) : state('refused')),
      because: ({ error }) => error,
    },
    { none: `there are no such ${noun}s`, wrapsLast: true },
  );
}

function oneByOne<Item, Update>({ of, actions = {} }: Many<Item, Update>) {
  return async (api: Api, action: string, ids: readonly string[]): Promise<(string | null)[]> => {
    const items = of(api);
    const errors: (string | null)[] = [];
    for (const id of ids) {
      try {
        const update = actions[action]?.update;
        await (update === undefined ? items.delete(id) : items.update(id, update));
        errors.push(null);
      } catch (error) {
        if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
        errors.push(error.message);
      }
    }
    return errors;
  };
}
