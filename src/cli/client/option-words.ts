/** What a server refuses, in the words of the command line: its fields as options, its seconds as durations. */

import { JobdError } from '../../domain/errors.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { optionFor, type Fields } from '../../domain/fields.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { durationOf } from '../../domain/durations.ts';
import { optionOf } from '../../settings/setting.ts';
import type { Ask } from './client.ts';

/** Which kind of schedule it is follows from its options. */
const rows = [jobFields, monitorFields, channelFields].flatMap((fields) => {
  return Object.entries(fields as Fields).filter(([name]) => name !== 'scheduleType');
});
/** The options of fields. */
const options: ReadonlyMap<string, string> = new Map([
  ...rows.map(([name, field]) => [name, optionFor(name, field)] as const),
  ['after.jobId', '--after'],
  ['after.on', '--after-on'],
  ['runId', '--run'],
  ['dueAt', '--due-at'],
  ['from', '--from'],
  ['until', '--until'],
  ['durationSeconds', '--for'],
]);
/** Names that are no words of a sentence, wherever they are in it. Of the others, only the first word is one. */
const unlikeWords = new RegExp(
  `\\b(?:${[...options.keys()]
    .filter((name) => /[A-Z.]/.test(name))
    .join('|')
    .replaceAll('.', '\\.')})\\b`,
  'g',
);

/** Asks, and says refusals in the words of the command line. */
export function inOptionWords(ask: Ask): Ask {
  return async (method, path, body, key) => {
    try {
      return await ask(method, path, body, key);
    } catch (error) {
      if (!(error instanceof JobdError)) throw error;
      const { code, retryAfterSeconds, notes, message } = error;
      const sentence = body === undefined ? queryWords(path, message) : optionWords(message);
      throw new JobdError(code, sentence, { cause: error, retryAfterSeconds, notes });
    }
  };
}

/** A sentence about a field of a query with its option. */
function queryWords(path: string, sentence: string): string {
  const [, field = '', rest = ''] = /^(\w+)( must .*)$/s.exec(sentence) ?? [];
  const isAsked = new URLSearchParams(path.split('?')[1]).has(field);
  return isAsked ? `${options.get(field) ?? optionOf(field)}${rest}` : sentence;
}

/** A sentence of the server with options instead of its fields. */
export function optionWords(sentence: string): string {
  const config = /^config\.(\w+)/.exec(sentence);
  if (config !== null) return `${optionOf(config[1] ?? '')}${sentence.slice(config[0].length)}`;
  const [, field = ''] = /^(\w+)\b(?!\.\w)/.exec(sentence) ?? [];
  const rest = sentence.slice(field.length);
  // Fields of seconds are typed as durations.
  const told = field.endsWith('Seconds')
    ? rest.replace(/\b\d+\b(?! s\b)/g, (number) => durationOf(Number(number)))
    : rest;
  const begun = `${options.get(field) ?? field}${told}`;
  return begun.replace(unlikeWords, (name) => options.get(name) ?? name);
}
