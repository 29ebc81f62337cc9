/** What the API accepts and returns about definitions of jobs, monitors and channels. Hidden values are never returned. */

import { Type } from 'typebox';
import type { Static, TProperties, TSchema } from 'typebox';
import { channelFields as channelRows } from '../../../domain/alerts/fields.ts';
import {
  definedFields,
  definitionChanges,
  keyRule,
  longestBatch,
  shownInLists,
} from '../../../domain/definition.ts';
import type { DefinitionChange } from '../../../domain/definition.ts';
import { afterOnWords } from '../../../domain/jobs/after-words.ts';
import { jobFields } from '../../../domain/jobs/fields.ts';
import { monitorFields } from '../../../domain/monitors/fields.ts';
import { Channel, ChannelInput } from '../../../api/alerts/contract.ts';
import { page, PageQuery } from '../../../api/http/contract.ts';
import * as t from '../../../api/http/schema.ts';
import { afterOnText, definedJobFields, Job } from '../../../api/jobs/contract.ts';
import { Monitor, MonitorInput } from '../../../api/monitors/contract.ts';
import * as examples from './examples.ts';

/** The query of a list of managed jobs, monitors or channels. */
export const ManagedQuery = Type.Object(
  {
    ...PageQuery.properties,
    show: Type.Optional(
      t.oneOf(shownInLists, {
        description: '`all` also lists those that were made by hand; their `key` is null.',
        default: 'managed',
      }),
    ),
  },
  { additionalProperties: false },
);

function keyOf(noun: string) {
  return t.nullable(t.text(`The key of the ${noun}; null if it was made by hand.`));
}

/** The fields of a definition besides the one that has the noun for its name. */
function definitionFields(noun: string) {
  return {
    key: t.text(`The key of the ${noun}: ${keyRule}.`),
    adopt: Type.Optional(
      t.id(
        `The id of an unmanaged ${noun} that gets this key, if no ${noun} has the key yet. If there is no such ${noun}, ` +
          'a new one is created.',
      ),
    ),
  };
}

function defined<P extends TProperties>(noun: string, fields: P) {
  const description = `The ${noun}. Omitted fields get their defaults. Null deletes the ${noun}.`;
  return t.nullable(Type.Object(fields, { additionalProperties: false, description }));
}

function definitionsOf<T extends TSchema>(definition: T) {
  return {
    definitions: Type.Array(definition, {
      maxItems: longestBatch,
      description: `Up to ${longestBatch} definitions with different keys.`,
    }),
    dryRun: Type.Optional(
      Type.Boolean({
        description:
          'Reports the changes without making them: 25 definitions count as one request.',
        default: false,
      }),
    ),
  };
}

/** The fields of a result besides those of its noun. */
function resultFields(noun: string) {
  return {
    key: t.text('The key of the definition.'),
    change: Type.Unsafe<DefinitionChange | null>({
      type: ['string', 'null'],
      enum: [...definitionChanges, null],
      description: `\`none\` if the ${noun} already matched. Null if the definition was refused.`,
    }),
    isAdopted: t.flag(`Whether an unmanaged ${noun} got the key.`),
    refusal: t.nullable(
      Type.Object(
        {
          status: t.integer(
            `The HTTP status that the same request for a single ${noun} would get.`,
          ),
          error: t.text('What is wrong, and what would be right.'),
        },
        { description: 'Why this definition was not applied.' },
      ),
    ),
  };
}

const outcome = (noun: string): string =>
  `The outcome of a definition, with the ${noun} after the change. In a dry run, the expected outcome and the unchanged ${noun}.`;
const inOrder = 'In the order of the definitions.';
const differed = 'For an update, the fields that differed.';
const asOneField = '`schedule` stands for the four schedule fields.';

function orNull<T extends TSchema>(schema: T, noun: string) {
  return Type.Union([schema, Type.Null()], { description: `The ${noun}; null if there is none.` });
}

export const ManagedJob = t.output(
  'ManagedJob',
  'A job and the key that definitions know it by.',
  examples.managedJob,
  { key: keyOf('job'), job: Job },
);
export type ManagedJob = Static<typeof ManagedJob>;
export const ManagedJobList = t.envelope('ManagedJobList', page('managedJobs', ManagedJob));

const afterFields = {
  after: Type.Optional(
    t.nullable(
      Type.String({
        maxLength: 120,
        description:
          'Extension: the key of the job that it runs after, instead of on its schedule; or the id of one without a key. ' +
          'That job must exist when the definition is applied.',
      }),
    ),
  ),
  afterOn: Type.Optional(t.oneOf(afterOnWords, { description: afterOnText, default: 'success' })),
};

export const JobDefinition = t.input(
  'JobDefinition',
  'The job that a key should have.',
  [examples.jobDefinition],
  { ...definitionFields('job'), job: defined('job', { ...definedJobFields, ...afterFields }) },
);
export type JobDefinition = Static<typeof JobDefinition>;
export const JobDefinitions = t.input(
  'JobDefinitions',
  'Definitions of jobs to apply.',
  [examples.jobDefinitions],
  definitionsOf(JobDefinition),
);
export const JobDefinitionResult = t.output(
  'JobDefinitionResult',
  outcome('job'),
  examples.jobResult,
  {
    ...resultFields('job'),
    changedFields: t.array(
      t.oneOf(definedFields(jobFields), 'The name of a field.'),
      `${differed} ${asOneField} Header values are compared too, without being shown.`,
    ),
    changedHeaders: t.array(
      t.text('The name of a header.'),
      'Names of the headers that were added, removed or changed.',
    ),
    job: orNull(Job, 'job'),
  },
);
export type JobDefinitionResult = Static<typeof JobDefinitionResult>;
export const JobDefinitionResults = t.envelope(
  'JobDefinitionResults',
  { results: t.array(JobDefinitionResult, inOrder) },
  examples.jobResults,
);

export const ManagedMonitor = t.output(
  'ManagedMonitor',
  'A monitor and the key that definitions know it by.',
  examples.managedMonitor,
  { key: keyOf('monitor'), monitor: Monitor },
);
export type ManagedMonitor = Static<typeof ManagedMonitor>;
export const ManagedMonitorList = t.envelope(
  'ManagedMonitorList',
  page('managedMonitors', ManagedMonitor),
);

export const MonitorDefinition = t.input(
  'MonitorDefinition',
  'The monitor that a key should have.',
  [examples.monitorDefinition],
  { ...definitionFields('monitor'), monitor: defined('monitor', MonitorInput.properties) },
);
export const MonitorDefinitions = t.input(
  'MonitorDefinitions',
  'Definitions of monitors to apply.',
  [examples.monitorDefinitions],
  definitionsOf(MonitorDefinition),
);
export const MonitorDefinitionResult = t.output(
  'MonitorDefinitionResult',
  outcome('monitor'),
  examples.monitorResult,
  {
    ...resultFields('monitor'),
    changedFields: t.array(
      t.oneOf(definedFields(monitorFields), 'The name of a field.'),
      `${differed} ${asOneField}`,
    ),
    monitor: orNull(Monitor, 'monitor'),
  },
);
export type MonitorDefinitionResult = Static<typeof MonitorDefinitionResult>;
export const MonitorDefinitionResults = t.envelope(
  'MonitorDefinitionResults',
  { results: t.array(MonitorDefinitionResult, inOrder) },
  examples.monitorResults,
);

/** Names of fields of `config`, whose values are never shown. */
const configFields = t.array(
  t.text('The name of a field.'),
  'The fields that `config` has; their values are never shown.',
);

export const ManagedChannel = t.output(
  'ManagedChannel',
  'A channel and the key that definitions know it by.',
  examples.managedChannel,
  { key: keyOf('channel'), channel: Channel, configFields },
);
export type ManagedChannel = Static<typeof ManagedChannel>;
export const ManagedChannelList = t.envelope(
  'ManagedChannelList',
  page('managedChannels', ManagedChannel),
);

function keysOf(nouns: string) {
  return Type.Optional(
    t.nullable(
      Type.Array(Type.String(), {
        maxItems: channelRows.jobIds.rule.maxItems,
        description:
          `Keys of the ${nouns} it serves; \`*\` stands for all. Without \`jobs\` and \`monitors\` it serves all of the ` +
          'workspace, with one of them only what that lists.',
      }),
    ),
  );
}

const { jobIds: _, monitorIds: __, ...channelFields } = ChannelInput.properties;
export const ChannelDefinition = t.input(
  'ChannelDefinition',
  'The channel that a key should have.',
  [examples.channelDefinition],
  {
    ...definitionFields('channel'),
    channel: defined('channel', {
      ...channelFields,
      jobs: keysOf('jobs'),
      monitors: keysOf('monitors'),
    }),
  },
);
export const ChannelDefinitions = t.input(
  'ChannelDefinitions',
  'Definitions of channels to apply.',
  [examples.channelDefinitions],
  definitionsOf(ChannelDefinition),
);
export const ChannelDefinitionResult = t.output(
  'ChannelDefinitionResult',
  outcome('channel'),
  examples.channelResult,
  {
    ...resultFields('channel'),
    changedFields: t.array(
      t.text('The name of a field.'),
      `${differed} The values of \`config\` are compared too, without being shown.`,
    ),
    changedConfig: t.array(
      t.text('The name of a field of `config`.'),
      'Fields of `config` that were added, removed or changed.',
    ),
    channel: orNull(Channel, 'channel'),
    configFields,
  },
);
export type ChannelDefinitionResult = Static<typeof ChannelDefinitionResult>;
export const ChannelDefinitionResults = t.envelope(
  'ChannelDefinitionResults',
  { results: t.array(ChannelDefinitionResult, inOrder) },
  examples.channelResults,
);
