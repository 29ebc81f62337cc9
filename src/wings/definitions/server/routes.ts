import type { Static } from 'typebox';
import { badRequest, describe } from '../../../api/description/operation.ts';
import { requireWrite } from '../../../api/http/auth.ts';
import { pageRequest } from '../../../api/http/contract.ts';
import type { ApiServer } from '../../../api/http/fastify.ts';
import { whenLeft } from '../../../api/http/left.ts';
import { continueLarge } from '../../../api/http/limits/connections.ts';
import { countItems } from '../../../api/http/limits/request-limits.ts';
import type { App } from '../../../app/app.ts';
import { createFill, idCursor, idPage } from '../../../app/page.ts';
import { createTurns } from '../../../app/turns.ts';
import { mostDefinitions } from '../../../domain/definition.ts';
import { invalidInput, JobdError } from '../../../domain/errors.ts';
import { checkDistinct } from '../../../domain/fields.ts';
import type { CountGuesses } from '../../../domain/guess.ts';
import type { ApiParts } from '../../../serve/house.ts';
import { listManagedKeys } from '../../../store/database/managed-keys.ts';
import { managedJobs } from './jobs.ts';
import { mayCompare, type Definition } from './managed.ts';
import { applyPlan, changesIn, makePlan, managedKinds, markOf, newScene } from './plan.ts';
import type { Plan, Wanted } from './plan.ts';
import * as contract from './contract.ts';

/** Definitions of many jobs come in one body. */
export const maxBodyBytes = 1024 * 1024;

/** Definitions that count as one request: comparing takes less than half the work of writing. */
const comparedPerRequest = 25;
/** Changes that do. Without this a key could write 12,000 jobs a minute. */
const changedPerRequest = 20;
/** Further changes of a request are free, as no key could ask for more in a minute. */
const countedChanges = 1_000;

const operations = describe(
  { tag: 'Definitions', isExtension: true },
  {
    listDefinitions: {
      summary: 'List what definitions would say',
      description:
        'Returns the jobs, monitors or channels of the workspace as definitions, with their keys, newest first.',
      querystring: contract.DefinedQuery,
      response: { 200: contract.DefinedList },
      answer: 'A page of definitions.',
    },
    applyDefinitions: {
      summary: 'Apply definitions',
      description:
        'Creates, changes and adopts the job, monitor or channel of each key so that it matches its definition, and with `prune` ' +
        'deletes those of other keys. All is planned first: if anything is refused, nothing is changed. Then each change is made ' +
        'in a transaction of its own: jobs after those they name, then channels, then deletions. If one is refused after all, ' +
        'because its run takes over 5 s or somebody was faster, what depends on it is not begun; what is done stays, and the ' +
        'same request again continues. What matches already stays as it is. A webhook without a secret keeps its own, or gets one ' +
        'that is not shown. The body may have 1 MiB.',
      body: contract.Definitions,
      response: { 200: contract.DefinitionPlan },
      answer: 'What is changed, and what is not.',
      failures: {
        400: badRequest('jobs must have at most 1000 entries, got 1001'),
        409: {
          when: 'The changes would not be those of `mark`.',
          example: 'the changes are not those that were shown any more: look at them again',
        },
        413: {
          when: 'The request body is over 1 MiB.',
          example: 'the request body must be at most 1024 KiB',
        },
      },
    },
  },
);

/** Adds the routes. */
export function definitionRoutes(server: ApiServer, app: App, { limits }: ApiParts): void {
  const turns = createTurns();
  server.get('/definitions', operations.listDefinitions, async ({ principal, query }) => {
    const { kind: noun = 'job', show } = query;
    const kind = managedKinds.find((one) => one.noun === noun) ?? managedJobs;
    const list = `definitions ${noun}`;
    const { items, nextCursor } = await idPage(list, pageRequest(query), async (asked) => {
      const page = { ...asked, isKeyNeeded: show !== 'all' };
      return await listManagedKeys(app.store.db, kind.table, principal.workspaceId, page);
    });
    const scene = newScene({ app, principal, isDryRun: true, countGuesses: () => {} });
    const definitions = [];
    const isFull = createFill();
    for (const { id, key } of items) {
      const definition = await kind.written(scene, id);
      if (definition !== undefined) definitions.push({ kind: noun, key, id, definition });
      const isLast = id === items.at(-1)?.id;
      if (isFull(definition) && !isLast) return { definitions, nextCursor: idCursor(list, id) };
    }
    return { definitions, nextCursor };
  });

  server.post(
    '/definitions',
    {
      ...operations.applyDefinitions,
      bodyLimit: maxBodyBytes,
      config: { isForReaders: true },
      async onRequest({ raw }, answer) {
        continueLarge(raw, answer.raw);
      },
    },
    async ({ principal, body }, answer) => {
      const { dryRun = false, prune = false, mark } = body;
      if (!dryRun) requireWrite(principal);
      const wanted = wantedIn(body);
      const items = managedKinds.reduce((sum, { table }) => sum + wanted[table].length, 0);
      if (items > mostDefinitions) throw tooMany(items);
      const compared = { perRequest: comparedPerRequest, answer };
      await countItems(limits, principal, { ...compared, items });
      const { workspaceId } = principal;
      const countGuesses: CountGuesses = (guesses) => limits.countGuesses(workspaceId, guesses);
      const scene = newScene({ app, principal, isDryRun: dryRun, countGuesses });
      const left = whenLeft(answer);
      const plan = await turns(workspaceId, left, () => makePlan(scene, wanted, prune, left));
      // How many are pruned is known only now. A request is no more work than the largest without.
      const pruned = Math.min(plan.changes.length, mostDefinitions) - items;
      await countItems(limits, principal, { ...compared, items: pruned });
      const shown = markOf(plan, wanted);
      if (mark !== undefined && mark !== shown) throw otherPlan();
      if (!dryRun && plan.changes.every(({ refusal }) => refusal === null)) {
        const changes = Math.min(changesIn(plan).length, countedChanges);
        const count = { items: changes, perRequest: changedPerRequest, answer };
        await countItems(limits, principal, count);
        await applyPlan(scene, plan);
      }
      return { ...shapeOf(plan), areSecretsCompared: mayCompare(principal), mark: shown };
    },
  );
}

/** The definitions of a body. Throws `invalid_input` for a key that is there twice. */
function wantedIn({ jobs, monitors, channels }: Static<typeof contract.Definitions>): Wanted {
  return {
    jobs: listOf('jobs', jobs),
    monitors: listOf('monitors', monitors),
    channels: listOf('channels', channels),
  };
}

function listOf(
  section: keyof Wanted,
  given: readonly { key: string; adopt?: string }[] = [],
): Definition[] {
  const keys = given.map(({ key }) => key);
  checkDistinct(keys, (index) => `${section}.${index}.key`);
  return given.map(({ key, adopt, ...input }) => ({ key, adopt, input }));
}

function tooMany(count: number): JobdError {
  return invalidInput(
    `jobs, monitors and channels must be at most ${mostDefinitions} together, got ${count}: send them in parts, without prune`,
  );
}

function otherPlan(): JobdError {
  const sentence = 'the changes are not those that were shown any more: look at them again';
  return new JobdError('conflict', sentence);
}

function shapeOf({ changes, unlisted }: Plan) {
  return {
    changes: changes.map(({ kind, key, id, action, fields, hidden, before, refusal, isDone }) => ({
      kind: kind.noun,
      key,
      id,
      action,
      fields: [...fields],
      hidden: [...hidden],
      before: before && { ...before },
      refusal,
      isDone,
    })),
    unlisted: unlisted.map(({ kind, key, refusal }) => ({ kind: kind.noun, key, refusal })),
  };
}
