/** The contract of managed jobs, an extension: definitions in, what became of them out. */

import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { JobChange } from '../../domain/jobs/managed-job.ts';
import {
  definedFields,
  jobChanges,
  jobKeyRule,
  longestBatch,
} from '../../domain/jobs/managed-job.ts';
import { Job, JobInput, nextCursor } from '../contract.ts';
import * as examples from './managed-examples.ts';
import { id, integer, nullable, oneOf, text } from '../http/schema.ts';

const key = (description: string) => Type.String({ description });

/** A job and the key that definitions know it by. */
export const ManagedJob = Type.Object(
  { key: key('The key of the job, unique in the workspace.'), job: Job },
  {
    title: 'ManagedJob',
    description: 'A job that is defined elsewhere, usually in a file of a repository.',
    examples: [examples.managedJob],
  },
);
export type ManagedJob = Static<typeof ManagedJob>;

export const ManagedJobList = Type.Object(
  { managedJobs: Type.Array(ManagedJob, { description: 'Newest first.' }), nextCursor },
  { title: 'ManagedJobList', examples: [examples.managedJobList] },
);
export type ManagedJobList = Static<typeof ManagedJobList>;

const { workspaceId: _, ...definedProperties } = JobInput.properties;

/** What a key should stand for. */
export const Definition = Type.Object(
  {
    key: key(`Which job is meant: ${jobKeyRule}.`),
    job: nullable(
      Type.Object(definedProperties, {
        additionalProperties: false,
        description: 'What the job is. What is not given has its default. Null for no job at all.',
      }),
    ),
    adopt: Type.Optional(
      id(
        'The job made by hand that gets the key, if no job has the key yet. A job that is not there is passed ' +
          'over, and one is created.',
      ),
    ),
  },
  {
    additionalProperties: false,
    title: 'Definition',
    description: 'What a key should stand for.',
    examples: [examples.definition],
  },
);
export type Definition = Static<typeof Definition>;

/** Input of the operation that applies definitions. */
export const DefinitionsInput = Type.Object(
  {
    definitions: Type.Array(Definition, {
      maxItems: longestBatch,
      description: `Up to ${longestBatch}, each key once.`,
    }),
    dryRun: Type.Optional(
      Type.Boolean({ description: 'Only tells what would change.', default: false }),
    ),
  },
  {
    additionalProperties: false,
    title: 'DefinitionsInput',
    description: 'Definitions to apply.',
    examples: [examples.definitionsInput],
  },
);
export type DefinitionsInput = Static<typeof DefinitionsInput>;

const Refusal = Type.Object(
  {
    status: integer('The status that the same wish for one job would be answered with.'),
    error: text('What is wrong, and what would be right.'),
  },
  { description: 'Why this definition was not applied.' },
);

/** What became of one definition. */
export const DefinitionResult = Type.Object(
  {
    key: key('The key of the definition.'),
    change: Type.Unsafe<JobChange | null>({
      type: ['string', 'null'],
      enum: [...jobChanges, null],
      description: '`none` if the job was so already. Null if the definition was refused.',
    }),
    changedFields: Type.Array(oneOf(definedFields, { description: 'The name of a field.' }), {
      description:
        'For an update, in which fields the job differed; `schedule` stands for the four that make one. Values of ' +
        'headers are compared here, so that they need not be shown.',
    }),
    changedHeaders: Type.Array(text('The name of a header.'), {
      description:
        'The names of the headers that were added or taken away, or whose values differed.',
    }),
    isAdopted: Type.Boolean({ description: 'Whether a job made by hand got the key.' }),
    job: Type.Union([Job, Type.Null()], { description: 'The job; null if there is none.' }),
    refusal: nullable(Refusal),
  },
  {
    title: 'DefinitionResult',
    description:
      'What became of a definition, with the job afterwards; in a dry run what would, with the job as it is.',
    examples: [examples.definitionResult],
  },
);
export type DefinitionResult = Static<typeof DefinitionResult>;

export const DefinitionResults = Type.Object(
  { results: Type.Array(DefinitionResult, { description: 'In the order of the definitions.' }) },
  { title: 'DefinitionResults', examples: [examples.definitionResults] },
);
export type DefinitionResults = Static<typeof DefinitionResults>;
