/** Channels in files. Which fields `config` has follows from the table of kinds of channels. */

import type { ChannelInput, ChannelSettings } from '../../../domain/alerts/channel.ts';
import { checkConfig } from '../../../domain/alerts/config.ts';
import { channelKinds, channelTypes } from '../../../domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../domain/alerts/kinds/registry.ts';
import { channelFields } from '../../../domain/alerts/fields.ts';
import { definedChannel, listsOf, servedBy } from '../../../domain/alerts/managed-channel.ts';
import type { ChannelDefinition, Served } from '../../../domain/alerts/managed-channel.ts';
import { changedFields } from '../../../domain/definition.ts';
import { checkFields, defaultsOf } from '../../../domain/fields.ts';
import { everywhere } from '../../../domain/targets/target.ts';
import { adopt, fileFields, fileValues, keys, word } from './fields.ts';
import type { FileField } from './fields.ts';
import type { FileKind, Input } from './kind.ts';

const servedAbout = 'Their keys, or "*" for all. Without jobs and monitors: all of the workspace.';
const { name: nameRow, ...settings } = fileFields(channelFields, {
  jobIds: { jobs: { api: 'jobs', about: servedAbout, form: keys('job') } },
  monitorIds: { monitors: { api: 'monitors', about: servedAbout, form: keys('monitor') } },
});
/** Only the server knows what its operator allows. */
const anything = { allowTargets: everywhere, mailAllow: [] };
const texts = { type: ['string', 'number', 'boolean'] };

/** As a file and the lists of the server say it: jobs and monitors by their keys. */
type WrittenChannel = Omit<ChannelDefinition, keyof Served> & ChannelSettings & Served;

export const channelKind: FileKind = {
  section: 'channels',
  noun: 'channel',
  fields: {
    adopt: adopt('channel'),
    name: nameRow as FileField,
    type: { api: 'type', about: 'The kind of the channel.', form: word(channelTypes) },
    config: {
      api: 'config',
      about: 'The destination. ${NAME} is a variable, file:PATH the content of a file.',
      form: {
        kind: 'mapping',
        most: new Set(Object.values(channelKinds).flatMap(({ fields }) => Object.keys(fields)))
          .size,
        schema: { additionalProperties: texts },
        check: () => {},
      },
    },
    ...settings,
  },
  required: ['type', 'config'],
  exclusive: [],
  schema: { allOf: channelTypes.map(schemaOfType) },
  hidden: 'config',
  checkField: (field) => checkFields(channelFields, field),
  check(input) {
    const { type, config } = channelOf(input);
    definedChannel(inputOf(channelOf(input)));
    checkConfig(type, config, anything);
  },
  whole(input) {
    const { config, type } = channelOf(input);
    const served = servedBy(channelOf(input));
    return { ...definedChannel(inputOf(channelOf(input))), type, config, ...served };
  },
  values(key, whole) {
    const channel = whole as unknown as WrittenChannel;
    const { type, config } = channel;
    const names = Object.keys(config).toSorted();
    const { jobs, monitors } = listsOf(channel);
    return {
      ...fileValues(channelFields, whole, { ...defaultsOf(channelFields), name: key }),
      type,
      config: new Map(names.map((field) => [field, config[field]])),
      jobs: jobs?.toSorted(),
      monitors: monitors?.toSorted(),
    };
  },
  compare({ document, hiddenNames }, input) {
    const channel = document as unknown as WrittenChannel;
    const definition = channelOf(input);
    const changed = changedFields(
      channelFields,
      { ...channel, jobIds: channel.jobs, monitorIds: channel.monitors },
      definedChannel(inputOf(definition)),
    );
    // The server keeps what it generated, if the definition leaves it out.
    const { fields } = channelKinds[definition.type];
    const names = Object.keys(definition.config);
    const lost = hiddenNames.filter((name) => !names.includes(name) && !fields[name]?.generate);
    const changedHidden = [...names.filter((name) => !hiddenNames.includes(name)), ...lost];
    return {
      changedFields: [...changed, ...(changedHidden.length > 0 ? ['config'] : [])],
      changedHidden: changedHidden.toSorted(),
    };
  },
  conceal: (fields) => fields,
};

/** Which fields `config` has, and which of them it needs. */
function schemaOfType(type: ChannelType): object {
  const { fields } = channelKinds[type];
  const entries = Object.entries(fields);
  const config = {
    properties: Object.fromEntries(
      entries.map(([name, { description }]) => [name, { ...texts, description }]),
    ),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
  const isType = { properties: { type: { const: type } }, required: ['type'] };
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: isType, then: { properties: { config } } };
}

function channelOf(input: Input): ChannelDefinition {
  return input as unknown as ChannelDefinition;
}

/** The keys stand for the ids, which only the server knows. */
function inputOf({ jobs, monitors, ...input }: ChannelDefinition): ChannelInput {
  const served = servedBy({ jobs: jobs ?? null, monitors: monitors ?? null });
  const { jobs: jobIds, monitors: monitorIds } = served;
  return { ...input, jobIds: jobIds && [...jobIds], monitorIds: monitorIds && [...monitorIds] };
}
