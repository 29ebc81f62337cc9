/** Routes of managed jobs. */

import { setImmediate } from 'node:timers/promises';
import type { App } from '../../app/app.ts';
import {
  applyDefinition,
  listManagedJobs,
  previewDefinition,
} from '../../app/jobs/managed-jobs.ts';
import type { Applied } from '../../app/jobs/managed-jobs.ts';
import { JobdError } from '../../domain/errors.ts';
import { checkDistinct } from '../../domain/fields.ts';
import { badRequest, describe } from '../description/operation.ts';
import { pageRequest, PageQuery } from '../http/contract.ts';
import type { ApiServer } from '../http/fastify.ts';
import { countItems } from '../http/limits/request-limits.ts';
import type { RequestLimits } from '../http/limits/request-limits.ts';
import { DefinitionResults, DefinitionsInput, ManagedJobList } from './contract.ts';
import type { DefinitionResult } from './contract.ts';
import { jobShape } from './shape.ts';

/** Definitions that count as one request. Without this a key could write 12,000 jobs a minute. */
const definitionsPerRequest = 10;

const operations = describe(
  { tag: 'Managed jobs', isExtension: true },
  {
    listManagedJobs: {
      summary: 'List managed jobs',
      description: 'Returns the managed jobs of the workspace with their keys, newest first.',
      querystring: PageQuery,
      response: { 200: ManagedJobList },
      answer: 'A page of managed jobs.',
    },
    applyDefinitions: {
      summary: 'Apply definitions of jobs',
      description:
        'Creates, changes or deletes the job of each key so that it matches its definition. A job that matches already stays ' +
        'unchanged, so a request can be repeated. Each definition is applied in a transaction of its own. A refused ' +
        'definition does not affect the others; its result says why. Plan limits apply as for single jobs, and so does ' +
        'waiting for a run in progress. A dry run does not check whether the plan allows that many jobs.',
      body: DefinitionsInput,
      response: { 200: DefinitionResults },
      answer: 'The outcome of each definition.',
      failures: { 400: badRequest('definitions must have at most 100 entries, got 101') },
    },
  },
);

/** Adds the routes. */
export function managedJobRoutes(server: ApiServer, app: App, limits: RequestLimits): void {
  server.get('/managed-jobs', operations.listManagedJobs, async ({ principal, query }) => {
    const { items, nextCursor } = await listManagedJobs(app, principal, pageRequest(query));
    const managedJobs = items.map(({ key, job }) => ({ key, job: jobShape(job) }));
    return { managedJobs, nextCursor };
  });

  server.post(
    '/managed-jobs',
    operations.applyDefinitions,
    async ({ principal, body: { definitions, dryRun = false } }, answer) => {
      const keys = definitions.map(({ key }) => key);
      checkDistinct(keys, (index) => `definitions.${index}.key`);
      const items = dryRun ? 0 : definitions.length;
      countItems(limits, principal, { items, perRequest: definitionsPerRequest, answer });
      const apply = dryRun ? previewDefinition : applyDefinition;
      const results = await startOneByOne(definitions, (definition) =>
        resultOf(definition.key, apply(app, principal, definition)),
      );
      return { results };
    },
  );
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
async function resultOf(key: string, applying: Promise<Applied>): Promise<DefinitionResult> {
  try {
    const { change, fields, headers, isAdopted, job } = await applying;
    return {
      key,
      change,
      changedFields: fields,
      changedHeaders: headers,
      isAdopted,
      job: job && jobShape(job),
      refusal: null,
    };
  } catch (error) {
    if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
    const refusal = { status: error.httpStatus, error: error.message };
    const nothing = { change: null, changedFields: [], changedHeaders: [], isAdopted: false };
    return { key, ...nothing, job: null, refusal };
  }
}
