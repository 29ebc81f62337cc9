/** Routes of managed jobs, monitors and channels. */

import type { App } from '../../../app/app.ts';
import { managedChannels } from '../server/channels.ts';
import { managedJobs } from '../server/jobs.ts';
import { managedMonitors } from '../server/monitors.ts';
import type { DefinedField } from '../../../domain/definition.ts';
import type { jobFields } from '../../../domain/jobs/fields.ts';
import type { monitorFields } from '../../../domain/monitors/fields.ts';
import { channelShape } from '../../../api/alerts/shape.ts';
import { badRequest, describe } from '../../../api/description/operation.ts';
import type { ApiServer } from '../../../api/http/fastify.ts';
import type { ApiParts } from '../../../serve/house.ts';
import { jobShape } from '../../../api/jobs/shape.ts';
import { monitorShape } from '../../../api/monitors/shape.ts';
import { applyAll, listAll } from './apply.ts';
import type { Outcome } from './apply.ts';
import * as contract from './contract.ts';

const failures = { 400: badRequest('definitions must have at most 100 entries, got 101') };

function words(noun: string) {
  return {
    list: {
      summary: `List managed ${noun}s`,
      description: `Returns the managed ${noun}s of the workspace with their keys, newest first.`,
      answer: `A page of managed ${noun}s.`,
    },
    apply: {
      summary: `Apply definitions of ${noun}s`,
      answer: 'The outcome of each definition.',
    },
    about:
      `Creates, changes or deletes the ${noun} of each key so that it matches its definition. A ${noun} that matches already ` +
      'stays unchanged, so a request can be repeated. Each definition is applied in a transaction of its own. A refused ' +
      'definition does not affect the others; its result says why.',
  };
}

const job = words('job');
const monitor = words('monitor');
const channel = words('channel');

const operations = describe(
  { tag: 'Definitions', isExtension: true },
  {
    listManagedJobs: {
      ...job.list,
      querystring: contract.ManagedQuery,
      response: { 200: contract.ManagedJobList },
    },
    applyJobDefinitions: {
      ...job.apply,
      description:
        `${job.about} Plan limits apply as for single jobs, and so does waiting for a run in progress. A dry run does not ` +
        'check whether the plan allows that many jobs.',
      body: contract.JobDefinitions,
      response: { 200: contract.JobDefinitionResults },
      failures,
    },
    listManagedMonitors: {
      ...monitor.list,
      querystring: contract.ManagedQuery,
      response: { 200: contract.ManagedMonitorList },
    },
    applyMonitorDefinitions: {
      ...monitor.apply,
      description: `${monitor.about} A monitor keeps its ping URL. Plan limits apply as for single monitors.`,
      body: contract.MonitorDefinitions,
      response: { 200: contract.MonitorDefinitionResults },
      failures,
    },
    listManagedChannels: {
      ...channel.list,
      querystring: contract.ManagedQuery,
      response: { 200: contract.ManagedChannelList },
    },
    applyChannelDefinitions: {
      ...channel.apply,
      description:
        `${channel.about} A channel names jobs and monitors by their keys, which must exist except in a dry run. The type ` +
        'cannot be changed. A webhook without a secret keeps its own, or gets one that is not shown.',
      body: contract.ChannelDefinitions,
      response: { 200: contract.ChannelDefinitionResults },
      failures,
    },
  },
);

/** Adds the routes. `siteUrl` is where ping URLs are. */
export function definitionRoutes(server: ApiServer, app: App, { limits, siteUrl }: ApiParts): void {
  server.get('/managed-jobs', operations.listManagedJobs, async ({ principal, query }) => {
    const { items, nextCursor } = await listAll(app, principal, managedJobs, query);
    return {
      managedJobs: items.map(({ key, shown }) => ({ key, job: jobShape(shown) })),
      nextCursor,
    };
  });

  server.post(
    '/managed-jobs',
    operations.applyJobDefinitions,
    async ({ principal, body }, answer) => {
      const definitions = body.definitions.map(({ job: input, ...rest }) => ({ ...rest, input }));
      const asked = { app, principal, limits, answer };
      const outcomes = await applyAll(asked, managedJobs, definitions, body.dryRun === true);
      const results = outcomes.map((outcome) => {
        const { fields, hidden, shown } = outcome;
        return Object.assign(common(outcome), {
          changedFields: fields as DefinedField<typeof jobFields>[],
          changedHeaders: hidden,
          job: shown && jobShape(shown),
        });
      });
      return { results };
    },
  );

  server.get('/managed-monitors', operations.listManagedMonitors, async ({ principal, query }) => {
    const { items, nextCursor } = await listAll(app, principal, managedMonitors, query);
    const site = { siteUrl: siteUrl(), permission: principal.permission, now: app.clock.now() };
    return {
      managedMonitors: items.map(({ key, shown }) => ({ key, monitor: monitorShape(shown, site) })),
      nextCursor,
    };
  });

  server.post(
    '/managed-monitors',
    operations.applyMonitorDefinitions,
    async ({ principal, body }, answer) => {
      const definitions = body.definitions.map(({ monitor: input, ...rest }) => ({
        ...rest,
        input,
      }));
      const asked = { app, principal, limits, answer };
      const outcomes = await applyAll(asked, managedMonitors, definitions, body.dryRun === true);
      const site = { siteUrl: siteUrl(), permission: principal.permission, now: app.clock.now() };
      const results = outcomes.map((outcome) => {
        const { fields, shown } = outcome;
        return Object.assign(common(outcome), {
          changedFields: fields as DefinedField<typeof monitorFields>[],
          monitor: shown && monitorShape(shown, site),
        });
      });
      return { results };
    },
  );

  server.get('/managed-channels', operations.listManagedChannels, async ({ principal, query }) => {
    const { items, nextCursor } = await listAll(app, principal, managedChannels, query);
    return {
      managedChannels: items.map(({ key, shown: { channel: found, configFields } }) => ({
        key,
        channel: channelShape(found),
        configFields,
      })),
      nextCursor,
    };
  });

  server.post(
    '/managed-channels',
    operations.applyChannelDefinitions,
    async ({ principal, body }, answer) => {
      const definitions = body.definitions.map(({ channel: input, ...rest }) => ({
        ...rest,
        input,
      }));
      const asked = { app, principal, limits, answer };
      const outcomes = await applyAll(asked, managedChannels, definitions, body.dryRun === true);
      const results = outcomes.map((outcome) => {
        const { fields, hidden, shown } = outcome;
        return Object.assign(common(outcome), {
          changedFields: fields,
          changedConfig: hidden,
          channel: shown && channelShape(shown.channel),
          configFields: shown?.configFields ?? [],
        });
      });
      return { results };
    },
  );
}

/** What every result has. */
function common<Shown>({ key, change, isAdopted, refusal }: Outcome<Shown>) {
  return { key, change, isAdopted, refusal };
}
