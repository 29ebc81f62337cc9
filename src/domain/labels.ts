/** Labels of jobs and monitors, and selectors that say which labels are meant (docs/behavior.md#label-1, docs/behavior.md#label-2). */

import { characterCount, isPlain } from './characters.ts';
import { got, invalidInput } from './errors.ts';
import { brokenRule, type Field } from './fields.ts';

/** Keys to values, sorted by key; never empty. */
export type Labels = Readonly<Record<string, string>>;

/** Labels of one job or monitor. */
export const mostLabels = 16;
const longestValue = 100;
const keyText = '[a-z0-9](?:[a-z0-9._/-]{0,61}[a-z0-9])?';
const keyPattern = new RegExp(`^${keyText}$`);
const keyRule =
  '1 to 63 lower-case letters, digits and . _ / -, beginning and ending with a letter or digit';

export const labelsField = {
  form: 'labels',
  rule: { type: 'object', additionalProperties: { type: 'string' } },
  label: 'Labels',
  help: 'labels, such as client=acme',
  default: null,
  isExtension: true,
  option: 'label',
  off: ['--no-label <key>', 'remove this label; may be repeated'],
} as const satisfies Field;

/** What the description of the API says of labels. */
export const labelsDetail =
  `At most ${mostLabels}. A key is ${keyRule}; a value is 1 to ${longestValue} characters without commas, not beginning with =. An update replaces ` +
  'all of them; null or `{}` removes them.';

/** What the description of the API says of a selector. */
export const selectorDetail =
  'Terms with commas between them, at most 10, which must all hold: `key=value` (or `key==value`), `key!=value`, which also holds without the ' +
  'key, `key`, or `!key`.';

export const selectorRule = { type: 'string', minLength: 1, maxLength: 400 } as const;
const mostTerms = 10;

/** Labels as they are kept; null for none. Throws `invalid_input`. */
export function readLabels(given: Labels | null): Labels | null {
  const entries = Object.entries(given ?? {});
  if (entries.length > mostLabels) {
    throw invalidInput(`labels must be at most ${mostLabels}, got ${entries.length}`);
  }
  for (const [key, value] of entries) {
    if (!keyPattern.test(key))
      throw invalidInput(`labels must have keys of ${keyRule}, ${got(key)}`);
    if (isValue(value)) continue;
    const rule = `1 to ${longestValue} characters without commas, control characters and spaces at its ends, not beginning with =`;
    const meant = value.replace(/^=+/, '');
    const advice = isValue(meant) ? `: write ${key}=${meant}` : '';
    throw invalidInput(`labels.${key} must be ${rule}, ${got(value)}${advice}`);
  }
  const sorted = entries.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.length === 0 ? null : Object.fromEntries(sorted);
}

function isValue(text: string): boolean {
  return text !== '' && isPlain(text) && !/^=|,/.test(text) && characterCount(text) <= longestValue;
}

/** Kept labels, from their column. */
export function labelsIn(json: string | null): Labels | null {
  return json === null ? null : (JSON.parse(json) as Labels);
}

/** Labels in one line: `client=acme env=prod`. */
export function labelWords(labels: Labels | null | undefined): string {
  const words = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return words.join(' ');
}

/** A condition on labels: whether they have this key, with this value unless it is null. */
interface Term {
  key: string;
  value: string | null;
  isThere: boolean;
}

/** Terms that must all hold. */
export type Selector = readonly Term[];

const termPattern = new RegExp(`^(!?)(${keyText})(?:(==|!?=)(.+))?$`, 's');

/** Reads a selector; `field` names it. Throws `invalid_input`. */
export function readSelector(text: string, field = 'selector'): Selector {
  const problem = brokenRule(selectorRule, text);
  if (problem !== undefined) throw invalidInput(`${field} ${problem}`);
  const terms = text.split(',');
  if (terms.length > mostTerms) {
    throw invalidInput(`${field} must be at most ${mostTerms} terms, got ${terms.length}`);
  }
  return terms.map((term) => {
    const [, not = '', key = '', operator = '', value = null] = termPattern.exec(term.trim()) ?? [];
    const isTerm = key !== '' && (value === null || (not === '' && isValue(value)));
    if (isTerm) return { key, value, isThere: not === '' && operator !== '!=' };
    const such = 'client=acme, client!=acme, client or !client';
    throw invalidInput(
      `${field} must be terms such as ${such}, with commas between them, ${got(term)}`,
    );
  });
}

/** Whether labels fit a selector. */
export function fits(labels: Labels | null, selector: Selector): boolean {
  return selector.every(({ key, value, isThere }) => {
    const own = labels !== null && Object.hasOwn(labels, key) ? labels[key] : undefined;
    return (value === null ? own !== undefined : own === value) === isThere;
  });
}

/**
 * What the JSON of kept labels contains if they have the key and value of a term, and only then: inside a text, JSON escapes
 * every quote, and a key has none.
 */
export function jsonOf({ key, value }: Pick<Term, 'key' | 'value'>): string {
  return `"${key}":${value === null ? '' : JSON.stringify(value)}`;
}
