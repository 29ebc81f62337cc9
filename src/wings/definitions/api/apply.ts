/** A request with definitions: each is applied by itself, and answered with its outcome. */

import { setImmediate } from 'node:timers/promises';
import type { App, Principal } from '../../../app/app.ts';
import { applyManaged, listManaged, previewManaged } from '../server/managed.ts';
import type { Applied, Definition, ManagedKind } from '../server/managed.ts';
import type { CountGuesses } from '../../../domain/guess.ts';
import type { ShownInList } from '../../../domain/definition.ts';
import { JobdError } from '../../../domain/errors.ts';
import { checkDistinct } from '../../../domain/fields.ts';
import { pageRequest } from '../../../api/http/contract.ts';
import type { PageQuery } from '../../../api/http/contract.ts';
import { countItems } from '../../../api/http/limits/request-limits.ts';
import type { RequestLimits, WithHeaders } from '../../../api/http/limits/request-limits.ts';

/** Definitions that count as one request. Without this a key could write 12,000 jobs a minute. */
const definitionsPerRequest = 10;
/** Comparing takes less than half the work of writing. */
const comparedPerRequest = 25;

/** Who applies, and with which app and limits. */
export interface Asked {
  app: App;
  principal: Principal;
  limits: RequestLimits;
  /** What says how many requests are left. */
  answer: WithHeaders;
}

/** What came of a definition: what was applied, or why it was refused. */
export type Outcome<Shown> = Pick<Applied<Shown>, 'fields' | 'hidden' | 'isAdopted' | 'shown'> & {
  key: string;
  change: Applied<Shown>['change'] | null;
  refusal: { status: number; error: string } | null;
};

/** Applies definitions, or only compares them, and returns an outcome for each. */
export async function applyAll<Input, Kept extends { id: string; name: string }, Shown>(
  { app, principal, limits, answer }: Asked,
  kind: ManagedKind<Input, Kept, Shown>,
  definitions: readonly Definition<Input>[],
  dryRun: boolean,
): Promise<Outcome<Shown>[]> {
  const keys = definitions.map(({ key }) => key);
  checkDistinct(keys, (index) => `definitions.${index}.key`);
  const perRequest = dryRun ? comparedPerRequest : definitionsPerRequest;
  await countItems(limits, principal, { items: definitions.length, perRequest, answer });
  const apply = dryRun ? previewManaged : applyManaged;
  const countGuesses: CountGuesses = (guesses) =>
    limits.countGuesses(principal.workspaceId, guesses);
  return await startOneByOne(definitions, (definition) =>
    outcomeOf(definition.key, apply(app, principal, kind, definition, countGuesses)),
  );
}

/** A page of a list, by its query. */
export async function listAll<Input, Kept extends { id: string; name: string }, Shown>(
  app: App,
  principal: Principal,
  kind: ManagedKind<Input, Kept, Shown>,
  { show, ...query }: PageQuery & { show?: ShownInList },
) {
  const isKeyNeeded = show !== 'all';
  return await listManaged(app, principal, kind, { ...pageRequest(query), isKeyNeeded });
}

/**
 * Starts one item in each turn of the event loop, so that other requests wait for one item at most. Items run concurrently:
 * each may wait for a run, and the request should wait no longer than one of them.
 */
function startOneByOne<T, R>(items: readonly T[], start: (item: T) => Promise<R>): Promise<R[]> {
  let started: Promise<unknown> = Promise.resolve();
  return Promise.all(
    items.map((item) => {
      started = started.then(() => setImmediate());
      return started.then(() => start(item));
    }),
  );
}

/** A refusal concerns one definition; any other error fails the whole request. */
async function outcomeOf<Shown>(
  key: string,
  applying: Promise<Applied<Shown>>,
): Promise<Outcome<Shown>> {
  try {
    return { key, ...(await applying), refusal: null };
  } catch (error) {
    if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
    const refusal = { status: error.httpStatus, error: error.message };
    const nothing = { change: null, fields: [], hidden: [], isAdopted: false, shown: null };
    return { key, ...nothing, refusal };
  }
}
