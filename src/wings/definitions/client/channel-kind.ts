/** Channels in files. Which fields `config` has follows from the table of kinds of channels. */

import { alsoOnWords, channelLimits } from '../../../domain/alerts/channel.ts';
import type { ChannelInput } from '../../../domain/alerts/channel.ts';
import { checkConfig } from '../../../domain/alerts/config.ts';
import { channelKinds, channelTypes } from '../../../domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../domain/alerts/kinds/registry.ts';
import {
  changedChannelFields,
  definedChannel,
  listsOf,
  servedBy,
} from '../../../domain/alerts/managed-channel.ts';
import type {
  ChannelDefinition,
  ChannelSettings,
  Served,
} from '../../../domain/alerts/managed-channel.ts';
import { checkFields, nameRule } from '../../../domain/fields.ts';
import { everywhere } from '../../../domain/targets/target.ts';
import { durationOf } from '../../../settings/setting.ts';
import { adopt, duration, keys, text, trueOrFalse, wholeNumber, word, words } from './fields.ts';
import { unless } from './kind.ts';
import type { FileKind, Input } from './kind.ts';

const { min: minimum, max: maximum } = channelLimits.afterFailures;
const rules = { name: nameRule, afterFailures: { type: 'integer', minimum, maximum } } as const;
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
    name: {
      api: 'name',
      about: 'The name of the channel. Default: the key.',
      form: text(rules.name),
    },
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
    jobs: {
      api: 'jobs',
      about:
        'Keys of the jobs it is notified of, or "*" for all. Without jobs and monitors: all of the workspace.',
      form: keys('job'),
    },
    monitors: {
      api: 'monitors',
      about:
        'Keys of the monitors it is notified of, or "*" for all. Without jobs and monitors: all of the workspace.',
      form: keys('monitor'),
    },
    'after-failures': {
      api: 'afterFailures',
      about: 'Failures of a job in a row before it is notified. Default: 1.',
      form: wholeNumber(rules.afterFailures),
    },
    also: {
      api: 'alsoOn',
      about: 'Runs it is notified of besides: missed, interrupted. Default: none.',
      form: words(alsoOnWords),
    },
    'remind-every': {
      api: 'remindEverySeconds',
      about: 'How often it is reminded of what is still down, such as 1h. Default: never.',
      form: duration('remind-every'),
    },
    enabled: { api: 'enabled', about: 'Whether it is notified. Default: true.', form: trueOrFalse },
  },
  required: ['type', 'config'],
  exclusive: [],
  schema: { allOf: channelTypes.map(schemaOfType) },
  hidden: 'config',
  checkField: (field) => checkFields(rules, field),
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
    const { type, config, afterFailures, enabled, alsoOn, remindEverySeconds, ...channel } =
      whole as unknown as WrittenChannel;
    const names = Object.keys(config).toSorted();
    const { jobs, monitors } = listsOf(channel);
    return {
      name: unless(channel.name, key),
      type,
      config: new Map(names.map((name) => [name, config[name]])),
      jobs: jobs?.toSorted(),
      monitors: monitors?.toSorted(),
      'after-failures': unless(afterFailures, 1),
      also: alsoOn.length === 0 ? undefined : [...alsoOn],
      'remind-every': remindEverySeconds === null ? undefined : durationOf(remindEverySeconds),
      enabled: unless(enabled, true),
    };
  },
  compare({ document, hiddenNames }, input) {
    const channel = document as unknown as WrittenChannel;
    const definition = channelOf(input);
    const settings = changedChannelFields(
      { ...channel, jobIds: channel.jobs, monitorIds: channel.monitors },
      definedChannel(inputOf(definition)),
    );
    // The server keeps what it generated, if the definition leaves it out.
    const { fields } = channelKinds[definition.type];
    const names = Object.keys(definition.config);
    const lost = hiddenNames.filter((name) => !names.includes(name) && !fields[name]?.generate);
    const changedHidden = [...names.filter((name) => !hiddenNames.includes(name)), ...lost];
    const changedFields = [...settings, ...(changedHidden.length > 0 ? ['config'] : [])];
    return { changedFields, changedHidden: changedHidden.toSorted() };
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
