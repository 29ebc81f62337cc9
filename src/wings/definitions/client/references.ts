/**
 * References, so that no secret needs to be in the file: `${NAME}` is a variable of the environment, a value that begins
 * with `file:` is the content of a file. One more `$` makes either literal: `$${NAME}`, `$file:x`. A value that was
 * filled in is not searched for references.
 */

/** Where values come from. Undefined and an empty text both mean "not set". */
export interface Sources {
  variable(name: string): string | undefined;
  /** The content of a file, by its path as written. Throws an error with a sentence. */
  file(path: string): string;
}

/** A value with its references filled in, and the parts that people must not see. */
export interface Filled {
  text: string;
  /** The values that were filled in; empty if the text is as written. */
  secrets: readonly string[];
}

/** A literal, or a variable. It begins at the first dollar sign of a row, so that a row is read once. */
const variablePattern = /(?<!\$)(?:\$(\$+\{)|\$\{([^}]*)(\}?))/g;
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

/** The text from which `fillIn` makes this one. */
export function literal(text: string): string {
  const escaped = literalVariables(text);
  return /^\$*file:/.test(escaped) ? `$${escaped}` : escaped;
}

/** The text from which `fillVariables` makes this one. */
export function literalVariables(text: string): string {
  return text.replaceAll(/(?<!\$)\$+\{/g, (found) => `$${found}`);
}

/** A sentence without the values that were filled in, if they are long enough to be recognized. */
export function withoutSecrets(sentence: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= 4)
    .toSorted((one, other) => other.length - one.length)
    .reduce((rest, secret) => rest.replaceAll(secret, '(hidden)'), sentence);
}
