/**
 * Values that stand elsewhere, so that no secret stands in the file: `${NAME}` is a variable of the environment,
 * a value that begins with `file:` is the content of a file. One `$` more makes either literal: `$${NAME}`,
 * `$file:x`. What was filled in is not looked at again.
 */

/** Where values are taken from. Undefined and an empty text both stand for nothing. */
export interface Sources {
  variable(name: string): string | undefined;
  /** The content of a file, by its path as written. Throws an error with a sentence. */
  file(path: string): string;
}

/** A value with everything filled in, and what of it people must not see. */
export interface Filled {
  text: string;
  /** What was filled in; empty if the value is as it was written. */
  secrets: readonly string[];
}

/** A literal, or a variable. */
const variablePattern = /\$(\$+\{)|\$\{([^}]*)(\}?)/g;
const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Fills in the variables of a value. Throws an error with a sentence that names the first bad one. */
export function fillVariables(written: string, sources: Pick<Sources, 'variable'>): Filled {
  const secrets: string[] = [];
  const text = written.replace(
    variablePattern,
    (_, escaped: string | undefined, name: string, end: string) => {
      if (escaped !== undefined) return escaped;
      if (end === '' || !namePattern.test(name)) {
        const escape = 'write $${ for a literal ${';
        throw new Error(`\${${name.slice(0, 40)}${end} does not name a variable, ${escape}`);
      }
      const value = sources.variable(name);
      if (value === undefined || value === '') {
        throw new Error(`the variable ${name} is not set, or empty`);
      }
      secrets.push(value);
      return value;
    },
  );
  return { text, secrets };
}

/** Fills in a value that may be a file. Throws an error with a sentence. */
export function fillIn(written: string, sources: Sources): Filled {
  if (written.startsWith('file:')) {
    const text = sources.file(written.slice('file:'.length));
    return { text, secrets: [text] };
  }
  return fillVariables(/^\$+file:/.test(written) ? written.slice(1) : written, sources);
}

/** The text that `fillIn` makes this one of. */
export function literal(text: string): string {
  const escaped = literalVariables(text);
  return /^\$*file:/.test(escaped) ? `$${escaped}` : escaped;
}

/** The text that `fillVariables` makes this one of. */
export function literalVariables(text: string): string {
  return text.replaceAll(/\$+\{/g, (found) => `$${found}`);
}

/** A sentence without what was filled in, where it could be told from other words. */
export function withoutSecrets(sentence: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '(hidden)'), sentence);
}
