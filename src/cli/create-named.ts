/** Creating something whose name may be taken. */

import type { Command } from 'commander';
import type { Flags } from '../settings/config.ts';
import { JobdError } from '../domain/errors.ts';
import type { Collection } from './client/api.ts';
import { choices, type Named } from './client/find.ts';

/** Adds the options that say what to do if the name of something new is taken. */
export function withNameOptions(command: Command, noun: string): Command {
  return command
    .option('--upsert', `change the ${noun} of this name, if there is one`)
    .option('--allow-duplicate', `create it even if there is a ${noun} of this name`);
}

/**
 * Creates one, unless the name is taken: then it is changed with `--upsert`, or the command is refused. Throws `conflict`,
 * and `invalid_input` if `--upsert` fits several.
 */
export async function createNamed<Item extends Named, Made, Update>(
  {
    noun,
    items,
    name,
    flags,
  }: { noun: string; items: Collection<Item, Update>; name: string; flags: Flags },
  { create, change }: { create: () => Promise<Made>; change: (item: Item) => Promise<Made> },
): Promise<Made> {
  if (flags['allowDuplicate'] === true) return await create();
  const found = await items.named(name);
  const [first, ...others] = found;
  if (first === undefined) return await create();
  const notes = choices(found);
  if (flags['upsert'] !== true) {
    const remedy = `--upsert changes it, --allow-duplicate creates another`;
    throw new JobdError('conflict', `there is a ${noun} named ${name} already: ${remedy}`, {
      notes,
    });
  }
  if (others.length === 0) return await change(first);
  const several = `${found.length} ${noun}s are named ${name}: use jobd ${noun}s update with an id`;
  throw new JobdError('invalid_input', several, { notes });
}
