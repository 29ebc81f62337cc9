/** What files say about jobs, monitors and channels, by the tables of their fields. */

import type { ChannelInput } from '../../../domain/alerts/channel.ts';
import { checkConfig, generatedConfig } from '../../../domain/alerts/config.ts';
import { channelFields } from '../../../domain/alerts/fields.ts';
import { channelKinds, channelTypes } from '../../../domain/alerts/kinds/registry.ts';
import type { ChannelType } from '../../../domain/alerts/kinds/registry.ts';
import { msPerDay } from '../../../domain/clock.ts';
import { definedChannel, type ChannelDefinition } from '../../../domain/alerts/managed-channel.ts';
import type { DefinedKind } from '../../../domain/definition.ts';
import { asSentence, checkFields, nameRule } from '../../../domain/fields.ts';
import { afterOnWords } from '../../../domain/jobs/after-words.ts';
import { jobFields } from '../../../domain/jobs/fields.ts';
import { checkHeaders, maxHeaders } from '../../../domain/jobs/headers.ts';
import { withEffects } from '../../../domain/jobs/effects.ts';
import { checkJobFields, defineJob, type JobInput } from '../../../domain/jobs/job-input.ts';
import { leavesOrigin } from '../../../domain/jobs/job.ts';
import { definedInput, type JobDefinition } from '../../../domain/jobs/managed-job.ts';
import { monitorFields } from '../../../domain/monitors/fields.ts';
import { defineMonitor, type MonitorInput } from '../../../domain/monitors/monitor-input.ts';
import { checkSchedule } from '../../../domain/schedule/schedule-input.ts';
import { everywhere } from '../../../domain/targets/target.ts';
import { adopt, anyText, fileFields, keys, reference, word, type FileField } from './fields.ts';
import type { Place } from './parse-file.ts';

/** The sections of a file, in the order in which they are applied: channels name jobs and monitors. */
export type Section = 'jobs' | 'monitors' | 'channels';

/** A definition by the names of the API. As the server shows one, null is the default, or a value that is hidden. */
export type Input = Readonly<Record<string, unknown>>;

/** A definition as it was read: what should be, and where that is written. */
export interface Definition {
  kind: FileKind;
  key: string;
  place: Place;
  /** The fields as the API takes them, with every reference filled in. */
  input: Input;
  /** The id of one made by hand that should get the key. */
  adopt: string | undefined;
  /** The texts as they were written of the fields into which a reference was filled in. */
  written: ReadonlyMap<string, string>;
  /** All values that were filled in. */
  secrets: readonly string[];
}

/** A definition as it is written in a file. */
export type Fields = Readonly<Record<string, unknown>>;

export interface FileKind {
  section: Section;
  noun: DefinedKind;
  /** In the order in which they are written. */
  fields: Readonly<Record<string, FileField>>;
  required: readonly string[];
  /** Fields of which a definition may have only one. */
  exclusive: readonly string[];
  /** More of the schema for editors: what fields need of each other. */
  schema?: object;
  /** The field whose values nobody is shown, as it is called in files and in the API. */
  hidden?: string;
  /** Whether the server keeps a value in a field that it shows nobody; undefined for a field that it shows. */
  keeps?: (input: Input, name: string) => boolean | undefined;
  /** Checks one field by the rules of the API. Throws an error with a sentence. */
  checkField: (field: Input) => void;
  /** Checks what only the fields together can break. Throws an error with a sentence. */
  check: (input: Input) => void;
  /** What is not shown of one that no file defines: nobody knows which of its values are secret. */
  conceal?: (fields: Fields) => Fields;
}

/** What people call one: `job backup`. */
export function label({ noun }: Pick<FileKind, 'noun'>, key: string): string {
  return `${noun} ${key}`;
}

/** The names of the values that nobody is shown. */
export function hiddenNamesOf({ hidden = '' }: FileKind, input: Input): string[] {
  return Object.keys(input[hidden] ?? {});
}

/** Checks the input of a job as far as that is possible without the server. Throws `invalid_input`. */
export function checkJob(input: JobInput): void {
  // Which targets are allowed, which times have passed and what may be kept without effect is for the server to say.
  const checked = withEffects(input);
  const ends = Date.parse(checked.runAt ?? checked.notAfter ?? '');
  // Of years before its end something is due, if it ever is.
  const now = ends - msPerDay < Date.now() ? ends - 1_800 * msPerDay : Date.now();
  defineJob(checked, { id: '', workspaceId: '', allowTargets: everywhere, now });
}

export const jobKind: FileKind = {
  section: 'jobs',
  noun: 'job',
  fields: {
    adopt: adopt('job'),
    ...fileFields(jobFields, {
      headers: {
        headers: {
          api: 'headers',
          about: 'Request headers. ${NAME} is a variable, file:PATH the content of a file.',
          form: {
            kind: 'mapping',
            most: maxHeaders,
            schema: { additionalProperties: anyText },
            check: (name, value) => void checkHeaders({ [name]: value }),
          },
        },
      },
      after: {
        after: {
          api: 'after',
          about: `${asSentence(jobFields.after.help)} Its key, its name or its id.`,
          form: reference('job', nameRule),
        },
        'after-on': {
          api: 'afterOn',
          about: 'Which end of that job starts it: success, failed or finished. Default: success.',
          form: word(afterOnWords),
        },
      },
    }),
  },
  required: ['url'],
  exclusive: ['at', 'after', 'every', 'cron'],
  hidden: 'headers',
  keeps: ({ onResult }, name) =>
    name === 'on-result-secret' ? typeof onResult === 'string' : undefined,
  checkField(field) {
    if ('after' in field) return;
    checkJobFields(field, everywhere);
    checkSchedule(field);
  },
  check: (input) => checkJob(definedInput(input as unknown as JobDefinition)),
  conceal: (fields) => ({
    ...fields,
    url: String(fields['url']).replace(/\?[^]*$/, '?(secret)'),
    ...(fields['on-result'] !== undefined && {
      'on-result': (fields['on-result'] as string).replace(/\?[^]*$/, '?(secret)'),
    }),
    ...(fields['body'] !== undefined && { body: '(secret)' }),
  }),
};

/** Whether the results of a job, or a new channel, get a secret that jobd makes when it is applied, and that a file cannot show. */
export function getsUnseenSecret(after: Input, before: Input | null): boolean {
  const { onResult, onResultSecret, ...channel } = after as Partial<JobInput & ChannelInput>;
  const { type, config = {} } = channel;
  if (type) return Object.keys(generatedConfig(type, config, new Uint8Array())).length > 0;
  if (typeof onResult !== 'string' || onResultSecret !== undefined) return false;
  const was = before?.['onResult'];
  return typeof was !== 'string' || leavesOrigin({ url: was }, { url: onResult });
}

export const monitorKind: FileKind = {
  section: 'monitors',
  noun: 'monitor',
  fields: { adopt: adopt('monitor'), ...fileFields(monitorFields) },
  required: [],
  exclusive: ['every', 'cron'],
  checkField(field) {
    checkFields(monitorFields, field);
    checkSchedule(field);
  },
  check(input) {
    const monitor = input as unknown as MonitorInput;
    defineMonitor(monitor, { id: '', workspaceId: '', pingId: '', now: 0 });
  },
};

const servedAbout = 'Their keys, or "*" for all. Without jobs and monitors: all of the workspace.';
const { name: channelName, ...settings } = fileFields(channelFields, {
  jobIds: { jobs: { api: 'jobs', about: servedAbout, form: keys('job') } },
  monitorIds: { monitors: { api: 'monitors', about: servedAbout, form: keys('monitor') } },
});
/** Only the server knows what its operator allows. */
const anything = { allowTargets: everywhere, mailAllow: [] };

const channelKind: FileKind = {
  section: 'channels',
  noun: 'channel',
  fields: {
    adopt: adopt('channel'),
    name: channelName as FileField,
    type: { api: 'type', about: 'The kind of the channel.', form: word(channelTypes) },
    config: {
      api: 'config',
      about: 'The destination. ${NAME} is a variable, file:PATH the content of a file.',
      form: {
        kind: 'mapping',
        most: new Set(Object.values(channelKinds).flatMap(({ fields }) => Object.keys(fields)))
          .size,
        schema: { additionalProperties: anyText },
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
    const { jobs: _, monitors: __, ...channel } = input as unknown as ChannelDefinition;
    definedChannel(channel);
    checkConfig(channel.type, channel.config, anything);
  },
};

/** Which fields `config` has, and which of them it needs. */
function schemaOfType(type: ChannelType): object {
  const { fields } = channelKinds[type];
  const entries = Object.entries(fields);
  const config = {
    properties: Object.fromEntries(
      entries.map(([name, { description }]) => [name, { ...anyText, description }]),
    ),
    required: entries.filter(([, { isOptional }]) => !isOptional).map(([name]) => name),
    additionalProperties: false,
  };
  const isType = { properties: { type: { const: type } }, required: ['type'] };
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  return { if: isType, then: { properties: { config } } };
}

/** The sections of a file, in the order in which they are applied. */
export const fileKinds: readonly FileKind[] = [jobKind, monitorKind, channelKind];
