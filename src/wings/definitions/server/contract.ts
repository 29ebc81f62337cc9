/** What the API accepts and returns about definitions of jobs, monitors and channels. Hidden values are never returned. */

import { Type, type Static, type TSchema } from 'typebox';
import { ChannelInput } from '../../../api/alerts/contract.ts';
import { page, PageQuery } from '../../../api/http/contract.ts';
import * as t from '../../../api/http/schema.ts';
import { afterOnText, definedJobFields } from '../../../api/jobs/contract.ts';
import { MonitorInput } from '../../../api/monitors/contract.ts';
import { channelFields as channelRows } from '../../../domain/alerts/fields.ts';
import {
  definedKinds,
  keyRule,
  mostDefinitions,
  planActions,
  shownInLists,
} from '../../../domain/definition.ts';
import { afterOnWords } from '../../../domain/jobs/after-words.ts';
import * as examples from './examples.ts';

/** The query of the list. */
export const DefinedQuery = t.query({
  ...PageQuery.properties,
  kind: Type.Optional(
    t.oneOf(definedKinds, { description: 'Which ones to list.', default: 'job' }),
  ),
  show: Type.Optional(
    t.oneOf(shownInLists, {
      description: '`all` also lists those that were made by hand; their `key` is null.',
      default: 'managed',
    }),
  ),
});

const kind = t.oneOf(definedKinds, 'Whether it is a job, a monitor or a channel.');

/** Fields of one as it is, by the names in its definition. */
function fieldsAsDefined(description: string) {
  return Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: `${description} The values of headers and of \`config\` are null.`,
  });
}

export const Defined = t.output('Defined', 'What a definition would say.', examples.defined, {
  kind,
  key: t.textOrNull('The key that definitions know it by; null if it was made by hand.'),
  id: t.id('The id of the job, monitor or channel.'),
  definition: fieldsAsDefined('The fields of its definition that are not the default.'),
});
export type Defined = Static<typeof Defined>;
export const DefinedList = t.envelope('DefinedList', page('definitions', Defined));

/** The fields of every definition. */
const definitionFields = {
  key: t.text(`The key: ${keyRule}.`),
  adopt: Type.Optional(
    t.id(
      'The id of one that was made by hand and gets this key, if none has the key yet. If there is none, a new one is created.',
    ),
  ),
};

export const JobDefinition = t.input(
  'JobDefinition',
  'The job that a key stands for. Omitted fields get their defaults. It has one of `cronExpr`, `periodSeconds`, `runAt` and `after`.',
  [examples.jobDefinition],
  {
    ...definitionFields,
    ...definedJobFields,
    after: Type.Optional(
      t.nullable(
        Type.String({
          maxLength: 120,
          description:
            'Extension: the job that it runs after, instead of on its schedule: its key, its id, or its name.',
        }),
      ),
    ),
    afterOn: Type.Optional(t.oneOf(afterOnWords, { description: afterOnText, default: 'success' })),
  },
);

export const MonitorDefinition = t.input(
  'MonitorDefinition',
  'The monitor that a key stands for. Omitted fields get their defaults.',
  [examples.monitorDefinition],
  { ...definitionFields, ...MonitorInput.properties },
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
  'The channel that a key stands for. Omitted fields get their defaults.',
  [examples.channelDefinition],
  { ...definitionFields, ...channelFields, jobs: keysOf('jobs'), monitors: keysOf('monitors') },
);

function listOf<T extends TSchema>(definition: T, nouns: string) {
  const description = `The ${nouns}, with different keys.`;
  return Type.Optional(Type.Array(definition, { maxItems: mostDefinitions, description }));
}

export const Definitions = t.input(
  'DefinitionsInput',
  `What jobs, monitors and channels should be: at most ${mostDefinitions} together.`,
  [examples.definitions],
  {
    jobs: listOf(JobDefinition, 'jobs'),
    monitors: listOf(MonitorDefinition, 'monitors'),
    channels: listOf(ChannelDefinition, 'channels'),
    dryRun: Type.Optional(
      Type.Boolean({
        description:
          'Answers what would change, and changes nothing. A key that may only read may ask.',
        default: false,
      }),
    ),
    prune: Type.Optional(
      Type.Boolean({
        description: 'Deletes those that have a key which is not in the request.',
        default: false,
      }),
    ),
    mark: Type.Optional(
      t.text(
        'The `mark` of an earlier answer. If other changes would be made by now, none is made: the answer is 409.',
      ),
    ),
  },
);

export const DefinitionChange = t.output(
  'DefinitionChange',
  'What happens to the one that a key stands for.',
  examples.definitionChange,
  {
    kind,
    key: t.text('The key.'),
    id: t.idOrNull('The id; null if there is none, or none yet.'),
    action: t.oneOf(
      planActions,
      '`adopt` only gives the key to one that was made by hand; `over`: a job whose `runAt` or `notAfter` has passed is not created; ' +
        '`refused` was found before anything was changed.',
    ),
    fields: t.array(
      t.text('The name of a field.'),
      'The fields that differ in an update: `schedule` for its four, `key` for one that gets the key too.',
    ),
    hidden: t.array(
      t.text('The name of a header, or of a field of `config`.'),
      'Those whose hidden values differ.',
    ),
    before: t.nullable(
      fieldsAsDefined(
        'The fields that differ, as they are: null for the default. Of one that is deleted, all that are not the default. ' +
          'A text over 4,000 characters is cut, and ends with its length and its SHA-256.',
      ),
    ),
    refusal: t.nullable(
      Type.Object(
        {
          status: t.integer('The HTTP status that a request for this alone would get.'),
          error: t.text('What is wrong, and what would be right.'),
        },
        { description: 'Why it is not done.' },
      ),
    ),
    isDone: t.flag('Whether it was done. Never in a dry run.'),
  },
);
export type DefinitionChange = Static<typeof DefinitionChange>;

export const DefinitionPlan = t.output(
  'DefinitionPlan',
  'What definitions change.',
  examples.definitionPlan,
  {
    changes: t.array(
      DefinitionChange,
      'One for each definition, ordered by kind and key, and then one for each deletion.',
    ),
    unlisted: t.array(
      t.part('One that `prune` would delete.', {
        kind,
        key: t.text('The key.'),
        refusal: t.textOrNull('Why `prune` would be refused; null if it is not by this one.'),
      }),
      'Those that have a key which is not in the request.',
    ),
    areSecretsCompared: t.flag(
      'Whether hidden values were compared: they are not for a key that may only read.',
    ),
    mark: t.text('Stands for these changes, for `mark` of a request.'),
  },
);
export type DefinitionPlan = Static<typeof DefinitionPlan>;
