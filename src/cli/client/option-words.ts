/** What a server refuses, in the words of the command line: its fields as options, its seconds as durations. */

import { JobdError } from '../../domain/errors.ts';
import { channelFields } from '../../domain/alerts/fields.ts';
import { isTime, optionFor } from '../../domain/fields.ts';
import type { Fields } from '../../domain/fields.ts';
import { jobFields } from '../../domain/jobs/fields.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { isCloudMetadata, refusedOnPurpose } from '../../domain/targets/cloud-metadata.ts';
import { durationOf, optionOf } from '../../settings/setting.ts';
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
]);
/** Fields of seconds, which are typed as durations. */
const times = new Set(rows.filter(([, field]) => isTime(field)).map(([name]) => name));
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
      const { code, retryAfterSeconds, message } = error;
      if (body === undefined) {
        const said = commandWords(message);
        if (said === message) throw error;
        throw new JobdError(code, said, { cause: error, retryAfterSeconds, notes: error.notes });
      }
      const advice = adviceOn(message);
      const notes = advice === null ? error.notes : [advice];
      throw new JobdError(code, optionWords(message), { cause: error, retryAfterSeconds, notes });
    }
  };
}

/**
 * What can be done about a refusal of the server; null if it says that itself. An address that may give out credentials is not
 * for people to allow in passing.
 */
export function adviceOn(refusal: string): string | null {
  if (!refusal.includes('must lead to a public address')) return null;
  return isCloudMetadata(refusal)
    ? refusedOnPurpose
    : 'to allow an address of your own: jobd serve --allow-target ADDRESS/32 (ADDRESS/32:PORT for another port than 80 and 443), or JOBD_ALLOW_TARGETS';
}

/** A sentence of the server with options instead of its fields. */
export function optionWords(sentence: string): string {
  const config = /^config\.(\w+)/.exec(sentence);
  if (config !== null) return `${optionOf(config[1] ?? '')}${sentence.slice(config[0].length)}`;
  const [, field = ''] = /^(\w+)\b(?!\.\w)/.exec(sentence) ?? [];
  const rest = sentence.slice(field.length);
  if (times.has(field)) {
    return `${options.get(field)}${rest.replace(/\b\d+\b(?! s\b)/g, (number) => durationOf(Number(number)))}`;
  }
  const begun = `${options.get(field) ?? field}${rest}`;
  return begun.replace(unlikeWords, (name) => options.get(name) ?? name);
}

/** A sentence of the server about a request without fields: what it says to do is a command. */
export function commandWords(sentence: string): string {
  return sentence.replace(
    /set (its|their) after to null$/,
    'end $1 following with jobd jobs update JOB --no-after',
  );
}
