/** Doing something to many jobs, monitors or channels at once. */

import type { Flags } from '../settings/config.ts';
import { errorCodes, JobdError } from '../domain/errors.ts';
import type { Api, Collection } from './client/api.ts';
import { waitVisibly } from './client/wait.ts';
import type { Context } from './context.ts';
import { interruptedExitCode } from './exit-codes.ts';
import { commasAdvice, type Selected } from './selection.ts';
import { state } from './terminal/cell.ts';
import { printJson, printRows } from './terminal/output.ts';
import { counted } from '../domain/counted.ts';

export interface Many<Item, Update> {
  noun: string;
  of: (api: Api) => Collection<Item, Update>;
  /** What each action changes; others delete. */
  actions?: Readonly<Record<string, { update: Update }>>;
  /** What the action changes of one of them, where that depends on it. */
  updateFor?: (item: Selected) => Update;
  /** Does something to many at once, where the server can. */
  actOnMany?: (api: Api, action: string, ids: readonly string[]) => Promise<readonly Outcome[]>;
}

/** What became of one: why it was refused, or null, and whether it was left as it is because it is over. */
interface Outcome {
  error: string | null;
  isOver?: boolean;
}

/** Jobs of one request. */
export const mostAtOnce = 100;
const doneWords: Readonly<Record<string, string>> = {
  pause: 'paused',
  resume: 'resumed',
  delete: 'deleted',
  label: 'labelled',
};

/** What an action finds that has nothing to do. */
const notDone: Readonly<Record<string, readonly [one: string, several: string]>> = {
  pause: ['was paused already', 'were paused already'],
  resume: ['was not paused', 'were not paused'],
};

/** Whether something is already as the action wants it, by its state before. */
export function hasNothingToDo(action: string, { status }: Selected): boolean {
  return notDone[action] !== undefined && (action === 'pause') === (status === 'paused');
}

/** What is said of one that an action finds as it wants it. */
export function notDoneWords(action: string, count = 1): string {
  return notDone[action]?.[count === 1 ? 0 : 1] ?? '';
}

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
  const results = await actOnParts(context, resource, api, action, found);
  if (results.some(({ error }) => error !== null)) context.exitCode = errorCodes.conflict.exitCode;
  if (results.length < found.length) context.exitCode = interruptedExitCode;
  if (flags['json']) return printJson(output, { results });
  printRows(
    output,
    results,
    {
      [noun]: ({ name }) => name,
      result: ({ error, changed, isOver }) => {
        if (isOver) return timeHasPassed;
        if (error !== null) return state('refused');
        return changed ? (doneWords[action] ?? action) : notDoneWords(action);
      },
      because: ({ error }) => error,
    },
    { none: `there are no such ${noun}s${commasAdvice(flags['selector'])}`, wrapsLast: true },
  );
  const counts = countsOf(noun, action, results);
  if (counts !== null) output.say(counts);
}

/** Does it request by request until Ctrl-C, with a spinner that counts. What ends it early is told what was done. */
async function actOnParts<Item, Update>(
  { output }: Context,
  resource: Many<Item, Update>,
  api: Api,
  action: string,
  found: readonly Selected[],
): Promise<Result[]> {
  const results: Result[] = [];
  const { actOnMany, noun } = resource;
  const act = oneByOne(resource);
  const atOnce = actOnMany === undefined ? 1 : mostAtOnce;
  const done = () => `${doneWords[action]} ${results.length} of ${counted(found.length, noun)}`;
  await waitVisibly(done, async (signal) => {
    try {
      while (results.length < found.length && !signal.aborted) {
        const part = found.slice(results.length, results.length + atOnce);
        const ids = part.map(({ id }) => id);
        const outcomes = (await actOnMany?.(api, action, ids)) ?? (await act(api, action, part));
        for (const [index, item] of part.entries()) {
          const { id, name } = item;
          const { error = null, isOver = false } = outcomes[index] ?? {};
          const changed = error === null && !isOver && !hasNothingToDo(action, item);
          results.push({ id, name, error, changed, ...(isOver && { isOver }) });
        }
      }
    } catch (error) {
      // Ctrl-C while it waited for the rate limit.
      if (signal.aborted) return;
      if (results.length > 0) output.say(done());
      throw error;
    }
  });
  if (results.length < found.length) output.say(`stopped: ${done()}`);
  return results;
}

interface Result extends Pick<Selected, 'id' | 'name'> {
  error: string | null;
  /** False if it was refused, or as the action wants it already. */
  changed: boolean;
  /** Of a job whose time has passed: nothing is left to pause or resume, which is no failure. */
  isOver?: true;
}

/** How many were changed and how many had nothing to do; null if each one was changed or refused. */
function countsOf(noun: string, action: string, results: readonly Result[]): string | null {
  const changed = results.filter((result) => result.changed).length;
  const refused = results.filter(({ error }) => error !== null).length;
  const over = results.filter(({ isOver }) => isOver).length;
  const others = results.length - changed - refused - over;
  if (others + over === 0) return null;
  const parts = [
    `${doneWords[action]} ${counted(changed, noun)}`,
    ...(others > 0 ? [`${others} ${notDoneWords(action, others)}`] : []),
    ...(over > 0
      ? [`the time of ${over} has passed${action === 'resume' ? `: ${setAnother}` : ''}`]
      : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  return parts.join(', ');
}

/** What is said of a job that is over. */
export const timeHasPassed = 'its time has passed';
const setAnother = 'jobd jobs update NAME --at TIME, or with --not-after, sets another';

function oneByOne<Item, Update>({ of, actions = {}, updateFor }: Many<Item, Update>) {
  return async (api: Api, action: string, found: readonly Selected[]): Promise<Outcome[]> => {
    const items = of(api);
    const outcomes: Outcome[] = [];
    for (const item of found) {
      try {
        const update = updateFor?.(item) ?? actions[action]?.update;
        await (update === undefined ? items.delete(item.id) : items.update(item.id, update));
        outcomes.push({ error: null });
      } catch (error) {
        if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
        outcomes.push({ error: error.message });
      }
    }
    return outcomes;
  };
}
