/** Routes of managed jobs: an extension. */

import { setImmediate } from 'node:timers/promises';
import type { App, Principal } from '../../app/app.ts';
import {
  applyDefinition,
  listManagedJobs,
  previewDefinition,
} from '../../app/jobs/managed-jobs.ts';
import type { Applied } from '../../app/jobs/managed-jobs.ts';
import { invalidInput, JobdError } from '../../domain/errors.ts';
import { PageQuery } from '../contract.ts';
import * as operations from './managed-operations.ts';
import type { RequestLimits } from '../http/limits/request-limits.ts';
import type { ApiServer } from '../http/fastify.ts';
import { DefinitionResults, DefinitionsInput, ManagedJobList } from './managed-contract.ts';
import type { Definition, DefinitionResult } from './managed-contract.ts';
import { pageRequest } from '../http/page.ts';
import { jobShape } from '../shape.ts';

/** Applied definitions that count as one request: else a key could write 12,000 times a minute. */
const definitionsPerRequest = 10;

/** Adds the routes. */
export function managedJobRoutes(server: ApiServer, app: App, limits: RequestLimits): void {
  /** The request itself has been counted. Throws `rate_limited`. */
  const countDefinitions = ({ keyId }: Principal, { length }: readonly Definition[]): void => {
    for (let counted = definitionsPerRequest; counted < length; counted += definitionsPerRequest) {
      limits.countKey(keyId);
    }
  };

  server.route({
    method: 'GET',
    url: '/managed-jobs',
    schema: {
      querystring: PageQuery,
      response: { 200: ManagedJobList },
      operation: operations.listManagedJobs,
    },
    handler: async ({ principal, query }) => {
      const { items, nextCursor } = await listManagedJobs(app, principal, pageRequest(query));
      return {
        managedJobs: items.map(({ key, job }) => ({ key, job: jobShape(job) })),
        nextCursor,
      };
    },
  });

  server.route({
    method: 'POST',
    url: '/managed-jobs',
    schema: {
      body: DefinitionsInput,
      response: { 200: DefinitionResults },
      operation: operations.applyDefinitions,
    },
    handler: async ({ principal, body: { definitions, dryRun = false } }) => {
      refuseRepeated(definitions);
      if (!dryRun) countDefinitions(principal, definitions);
      const apply = dryRun ? previewDefinition : applyDefinition;
      // Side by side: each may wait for a run that executes, and a request waits no longer than one. Each begins
      // in a turn of its own, so that everybody else waits behind one of them and not behind all.
      let begun: Promise<unknown> = Promise.resolve();
      const results = await Promise.all(
        definitions.map((definition) => {
          begun = begun.then(() => setImmediate());
          return begun.then(() => resultOf(definition, () => apply(app, principal, definition)));
        }),
      );
      return { results };
    },
  });
}

function refuseRepeated(definitions: readonly Definition[]): void {
  const seen = new Map<string, number>();
  for (const [index, { key }] of definitions.entries()) {
    const first = seen.get(key);
    if (first !== undefined) {
      throw invalidInput(
        `definitions.${index}.key must differ from definitions.${first}.key, both are ${key.slice(0, 63)}`,
      );
    }
    seen.set(key, index);
  }
}

/** A refusal is of its definition alone; what breaks down, breaks the request down. */
async function resultOf(
  { key }: Definition,
  apply: () => Promise<Applied>,
): Promise<DefinitionResult> {
  const none = {
    key,
    change: null,
    changedFields: [],
    changedHeaders: [],
    isAdopted: false,
    job: null,
    refusal: null,
  };
  try {
    const { change, fields, headers, isAdopted, job } = await apply();
    const shown = job === null ? null : jobShape(job);
    return {
      ...none,
      change,
      changedFields: fields,
      changedHeaders: headers,
      isAdopted,
      job: shown,
    };
  } catch (error) {
    if (!(error instanceof JobdError) || error.httpStatus >= 500) throw error;
    return { ...none, refusal: { status: error.httpStatus, error: error.message } };
  }
}
