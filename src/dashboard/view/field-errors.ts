/** Errors of the API about fields, in the words of the form. The API's sentences begin with the name of the field. */

/** An error, and the field beside which it is shown; null shows it above the form. */
export interface FieldError {
  field: string | null;
  error: string;
}

/** What the form calls each field, by its name in the API. */
export type Labels = Readonly<Record<string, string>>;

/**
 * Finds the field that a sentence of the API is about, and says the sentence with its label: `periodSeconds must be …`
 * becomes `Period must be …`. `empty` has the names of fields that must be filled in and are not.
 */
export function fieldError(
  error: string,
  labels: Labels,
  empty: readonly string[] = [],
): FieldError {
  const [, field = '', rest = ''] = /^(?:config\.)?([A-Za-z]+)(?=[ :.])(.*)$/s.exec(error) ?? [];
  const label = Object.hasOwn(labels, field) ? labels[field] : undefined;
  if (label === undefined) return { field: null, error };
  if (empty.includes(field)) return { field, error: `${label} must not be empty` };
  // Fields of a part are named with it: `headers.X-Tenant must be …`.
  const part = rest.replace(/^\./, ': ');
  return { field, error: label + inWords(part, unitOf(field, label)) };
}

/** The rest of a sentence without types of JSON, and with the unit of its numbers. */
function inWords(rest: string, unit: string | null): string {
  return rest
    .replace(
      / an integer(?: or null)?/,
      unit === null ? ' a whole number' : ` a whole number of ${unit}`,
    )
    .replace(/between \d+ and \d+/, (range) => (unit === null ? range : `${range} ${unit}`));
}

/** The unit that the API has in the name of a field, unless the label says it too. */
function unitOf(field: string, label: string): string | null {
  return field.endsWith('Seconds') && !label.endsWith('seconds') ? 'seconds' : null;
}

/** The names of the fields in which nothing was typed, in their order. */
export function emptyOf(typed: Readonly<Record<string, string>>): string[] {
  return Object.keys(typed).filter((name) => typed[name]?.trim() === '');
}
