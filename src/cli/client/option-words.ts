/** What a server refuses, in the words of the command line: its fields as options, its seconds as durations. */

import { JobdError } from '../../domain/errors.ts';
import { isCloudMetadata, refusedOnPurpose } from '../../domain/targets/cloud-metadata.ts';
import { durationOf, optionOf } from '../../settings/setting.ts';

import type { Ask } from './client.ts';

/** Options of fields with names of their own. Seconds are typed as durations. */
const seconds: Readonly<Record<string, string>> = {
  periodSeconds: '--every',
  timeoutSeconds: '--timeout',
  awaitSeconds: '--await',
  graceSeconds: '--grace',
  remindEverySeconds: '--remind-every',
};
const others: Readonly<Record<string, string>> = {
  cronExpr: '--cron',
  timezone: '--tz',
  afterFailures: '--after-failures',
  jobIds: '--job',
  monitorIds: '--monitor',
  alsoOn: '--also',
  onResult: '--on-result',
  onResultSecret: '--on-result-secret',
  'after.jobId': '--after',
  'after.on': '--after-on',
};
const otherNames = new RegExp(
  `\\b(?:${Object.keys(others).join('|').replaceAll('.', '\\.')})\\b`,
  'g',
);
/** Fields whose names are also words of a sentence: only the first word is one. */
const words: Readonly<Record<string, string>> = {
  body: '--data',
  headers: '--header',
  name: '--name',
  url: '--url',
  method: '--method',
  retries: '--retries',
  notes: '--notes',
  sign: '--sign',
  audience: '--audience',
  after: '--after',
};

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
  const [, field = ''] = /^(\w+)\b(?!\.\w)/.exec(sentence) ?? [];
  const option = Object.hasOwn(seconds, field) ? seconds[field] : undefined;
  if (option !== undefined) {
    const rest = sentence
      .slice(field.length)
      .replace(/\b\d+\b(?! s\b)/g, (number) => durationOf(Number(number)));
    return `${option}${rest}`;
  }
  const config = /^config\.(\w+)/.exec(sentence);
  if (config !== null) return `${optionOf(config[1] ?? '')}${sentence.slice(config[0].length)}`;
  const word = Object.hasOwn(words, field) ? words[field] : undefined;
  const begun = word === undefined ? sentence : `${word}${sentence.slice(field.length)}`;
  return begun.replace(otherNames, (name) => others[name] ?? name);
}

/** A sentence of the server about a request without fields: what it says to do is a command. */
export function commandWords(sentence: string): string {
  return sentence.replace(
    /set (its|their) after to null$/,
    'end $1 following with jobd jobs update JOB --no-after',
  );
}
