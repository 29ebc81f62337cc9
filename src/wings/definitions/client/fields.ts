/**
 * How the fields of definitions are written. The parser and the schema for editors are both made from this: `schema` is what
 * JSON Schema says of a value that the rest of a form accepts.
 */

import { parseSeconds } from '../../../cli/options.ts';
import { everyOne } from '../../../domain/alerts/managed-channel.ts';
import { keyPattern, keyRule } from '../../../domain/definition.ts';
import { isId } from '../../../domain/id.ts';
import { scheduleRules } from '../../../domain/schedule/schedule.ts';
import { fillIn, fillVariables } from './references.ts';
import type { Filled, Sources } from './references.ts';

/** A field is a text that is parsed, a mapping of names to texts, or a list of texts. */
export type Form =
  | {
      kind: 'text';
      schema: object;
      /** What it means; the text itself without it. Throws an error with a sentence. */
      parse?: (text: string) => unknown;
      /** Fills in references, if it may have any. */
      fill?: (written: string, sources: Sources) => Filled;
      /** Whether people see the text with its references, where they do not see what was filled in. */
      isShownAsWritten?: true;
    }
  | {
      /** Each text may have references. Differences are shown by name alone. */
      kind: 'mapping';
      schema: object;
      /** Throws an error with a sentence. */
      check: (name: string, text: string) => void;
      most: number;
    }
  | { kind: 'list'; schema: object; parse: (text: string) => unknown };

/** A field of a definition in a file. */
export interface FileField {
  /** Its name in the API. */
  api: string;
  /** What it is, for people in an editor. */
  about: string;
  form: Form;
}

/** Plain values are read as they are written: `no` and `012` are texts too. */
const anyText = { type: ['string', 'number', 'boolean'] };

/** A text by a rule of the domain. */
export function text(rule: object = {}): Form {
  return { kind: 'text', schema: { ...rule, ...anyText } };
}

/** A text that may have variables. */
export const withVariables: Form = {
  kind: 'text',
  schema: anyText,
  fill: fillVariables,
  isShownAsWritten: true,
};

/** A text that may have variables, or be the content of a file. */
export const filledIn: Form = { kind: 'text', schema: anyText, fill: fillIn };

/** One of these words. */
export function word(known: readonly string[]): Form {
  return {
    kind: 'text',
    schema: { enum: [...known] },
    parse(written) {
      if (known.includes(written)) return written;
      throw new Error(`must be one of ${known.join(', ')}, got ${written.slice(0, 60)}`);
    },
  };
}

/** A number of seconds, written as `90s`, `5m`, `2h`, `1d` or plain. */
export function duration(name: string): Form {
  return {
    kind: 'text',
    schema: { type: ['string', 'integer'], pattern: '^[0-9]{1,9}[smhd]?$', minimum: 0 },
    parse: (written) => parseSeconds(written, name),
  };
}

/** A whole number by a rule of the domain. */
export function wholeNumber({ minimum, maximum }: { minimum: number; maximum: number }): Form {
  return {
    kind: 'text',
    schema: { type: ['integer', 'string'], minimum, maximum, pattern: '^[0-9]{1,9}$' },
    parse(written) {
      if (/^\d{1,9}$/.test(written)) return Number(written);
      throw new Error(`must be a whole number, got ${written.slice(0, 60)}`);
    },
  };
}

export const trueOrFalse: Form = {
  kind: 'text',
  schema: { enum: [true, false, 'true', 'false'] },
  parse(written) {
    if (written === 'true' || written === 'false') return written === 'true';
    throw new Error(`must be true or false, got ${written.slice(0, 60)}`);
  },
};

/** Keys of other definitions. */
export function keys(noun: string): Form {
  return {
    kind: 'list',
    schema: {
      type: 'array',
      items: { type: ['string', 'number'], pattern: `${keyPattern.source}|^\\${everyOne}$` },
    },
    parse(written) {
      if (keyPattern.test(written) || written === everyOne) return written;
      throw new Error(`must be keys of ${noun}s, and a key must be ${keyRule}`);
    },
  };
}

/** Another one: by its key, by its id, or by its name, which has this rule. */
export function reference(noun: string, rule: object): Form {
  return {
    kind: 'text',
    schema: { ...rule, ...anyText },
    parse(written) {
      if (written.trim() !== '') return written;
      throw new Error(`must be the key, the name or the id of a ${noun}, got nothing`);
    },
  };
}

/** Some of these words. */
export function words(known: readonly string[]): Form {
  const one = word(known) as { parse: (text: string) => unknown };
  return { kind: 'list', schema: { type: 'array', items: { enum: [...known] } }, parse: one.parse };
}

/** The id of one made by hand. */
export function adopt(noun: string): FileField {
  const form: Form = {
    kind: 'text',
    schema: { type: 'string', pattern: '^[0-9A-Fa-f-]{36}$' },
    parse(written) {
      const id = written.toLowerCase();
      if (!isId(id)) throw new Error(`must be the id of a ${noun}, got ${written.slice(0, 60)}`);
      return id;
    },
  };
  return { api: 'adopt', about: `The id of a ${noun} created by hand that gets this key.`, form };
}

/** The fields that say when something is due. */
export const scheduleFields: Readonly<Record<'cron' | 'timezone' | 'every', FileField>> = {
  cron: {
    api: 'cronExpr',
    about: 'Five fields, or @daily and the like. Default: each hour.',
    form: text(scheduleRules.cronExpr),
  },
  timezone: {
    api: 'timezone',
    about:
      'The IANA time zone of cron, or in which the times of every are shown. Default: Europe/Paris.',
    form: text(scheduleRules.timezone),
  },
  every: {
    api: 'periodSeconds',
    about: 'An interval such as 90s, 5m or 1d, instead of cron.',
    form: duration('every'),
  },
};
