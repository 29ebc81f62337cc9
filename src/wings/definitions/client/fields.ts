/**
 * How the fields of definitions are written. The parser and the schema for editors are both made from this: `schema` is what
 * JSON Schema says of a value that the rest of a form accepts.
 */

import { parseSeconds } from '../../../cli/options.ts';
import { everyOne } from '../../../domain/alerts/managed-channel.ts';
import { keyPattern, keyRule } from '../../../domain/definition.ts';
import { asSentence, isTime, keyOf, type Field, type Fields } from '../../../domain/fields.ts';
import { isId } from '../../../domain/id.ts';
import { mostLabels, readLabels } from '../../../domain/labels.ts';
import { durationOf } from '../../../domain/durations.ts';
import { checkedSeconds, parseDuration } from '../../../settings/setting.ts';
import { fillIn, fillVariables, literal, literalVariables } from './references.ts';
import type { Filled, Sources } from './references.ts';

/** A field is a text that is parsed, a mapping of names to texts, or a list of texts. */
export type Form =
  | {
      kind: 'text';
      schema: object;
      /** What it means; the text itself without it. Throws an error with a sentence. */
      parse?: (text: string) => unknown;
      /** The text that means a value; the value itself without it. */
      write?: (value: never) => string;
      /** Fills in references, if it may have any. */
      fill?: (written: string, sources: Sources) => Filled;
      /** Whether people see the text with its references, where they do not see what was filled in. */
      isShownAsWritten?: true;
      /** Whether people never see the text. */
      isSecret?: true;
    }
  | {
      /** Each text may have references unless `isPlain`. */
      kind: 'mapping';
      schema: object;
      isPlain?: true;
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
export const anyText = { type: ['string', 'number', 'boolean'] };

/** A text by a rule of the domain. */
export function text(rule: object = {}): Form {
  return { kind: 'text', schema: { ...rule, ...anyText } };
}

/** A text that may have variables. */
export const withVariables: Form = {
  kind: 'text',
  schema: anyText,
  fill: fillVariables,
  write: literalVariables,
  isShownAsWritten: true,
};

/** A text that may have variables, or be the content of a file. */
export const filledIn = {
  kind: 'text',
  schema: anyText,
  fill: fillIn,
  write: literal,
} as const satisfies Form;

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

/** A length of time by a rule of the domain: `90s`, `5m`, `2h`, `1d`, or what else `parse` reads. */
function duration(key: string, rule: Field['rule'], parse = parseDuration): Form {
  const { minimum: min = 0, maximum: max = Infinity } = rule;
  const [unit, alone] = parse === parseDuration ? ['[smhd]', 0] : ['[smhd]?', max];
  const pattern = `^(0|[0-9]{1,9}${unit})$`;
  return {
    kind: 'text',
    schema: { type: ['string', 'integer'], pattern, minimum: 0, maximum: alone },
    parse: (written) => checkedSeconds(parse(written, key, { min, max }), key, { min, max }),
    write: durationOf,
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

const trueOrFalse: Form = {
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

/** Fields that files write in a way of their own, by the names of those of the API that they stand for. */
export type OwnFields = Readonly<Record<string, Readonly<Record<string, FileField>>>>;

/** The fields of a table, as files have them. A special one that has no way of its own is left out. */
export function fileFields(fields: Fields, own: OwnFields = {}): Record<string, FileField> {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([api, field]) => {
      if (own[api] !== undefined) return Object.entries(own[api]);
      const key = keyOf(api, field);
      const form = forms[field.form](key, field.rule);
      return form === null ? [] : [[key, { api, about: aboutField(api, field), form }]];
    }),
  );
}

/** How each form is written in files; null where a field needs a way of its own. */
const forms: Readonly<Record<Field['form'], (key: string, rule: Field['rule']) => Form | null>> = {
  text: (_, rule) => text(rule),
  url: () => withVariables,
  content: () => filledIn,
  secret: () => ({ ...filledIn, isSecret: true }),
  labels: () => ({
    kind: 'mapping',
    isPlain: true,
    most: mostLabels,
    schema: { additionalProperties: anyText },
    check: (key, value) => void readLabels({ [key]: value }),
  }),
  word: (_, { enum: known = [] }) => word(known.map(String)),
  words: (_, { items }) => words((items?.enum ?? []).map(String)),
  count: (_, { minimum = 0, maximum = 0 }) => wholeNumber({ minimum, maximum }),
  duration,
  seconds: (key, rule) => duration(key, rule, parseSeconds),
  time: () => text(),
  flag: () => trueOrFalse,
  special: () => null,
};

/** What may be written besides plain text. */
const hints: Partial<Record<Field['form'], string>> = {
  url: '${NAME} is a variable of the environment.',
  content: '${NAME} is a variable, file:PATH the content of a file.',
  secret: '${NAME} is a variable, file:PATH the content of a file.',
  duration: 'Such as 5m or 2h.',
  seconds: 'Such as 20s.',
  time: 'Such as 2026-12-01T09:00Z, or 2026-12-01 09:00 in the time zone of the job.',
};

function aboutField(name: string, field: Field): string {
  const { default: value } = field;
  const written = isTime(field) && typeof value === 'number' ? durationOf(value) : value;
  const usual = name === 'name' ? 'the key' : written;
  const isShown = ['string', 'number', 'boolean'].includes(typeof usual) && usual !== '';
  const shown = isShown && `Default: ${usual as string}`;
  const note = field.defaultNote === undefined ? '' : `, ${field.defaultNote}`;
  return [asSentence(field.help), hints[field.form], shown && `${shown}${note}.`]
    .filter(Boolean)
    .join(' ');
}
