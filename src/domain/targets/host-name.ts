/** Which host names can be those of public hosts, judged by their text. */
import { invalidInput } from '../errors.ts';

/** Endings that never resolve in DNS, and the RFC that says so. */
const unresolvableEndings = new Map([
  ['invalid', 'RFC 6761'],
  ['onion', 'RFC 7686'],
  ['alt', 'RFC 9476'],
]);

/** Endings of private networks, which only operators with allow entries can use. */
const localEndings = new Map([
  ['test', 'RFC 6761'],
  ['example', 'RFC 6761'],
  ['local', 'RFC 6762'],
  ['arpa', 'RFC 3172'],
  ['internal', 'reserved by ICANN'],
  ['intranet', 'RFC 6762'],
  ['private', 'RFC 6762'],
  ['corp', 'RFC 6762'],
  ['home', 'RFC 6762'],
  ['lan', 'RFC 6762'],
  ['localdomain', 'a common default of resolvers'],
]);

/**
 * Refuses a name that no public host can have: `name` as the URL parser reads it, `written` as in the URL. `advice` says how
 * to allow local names; null if single labels and local endings pass, as their addresses are judged at each connect. Throws
 * `invalid_input` with the reason.
 */
export function judgeName(
  name: string,
  written: string,
  { field, advice }: { field: string; advice: string | null },
): void {
  checkWriting(name, written, field);
  const labels = name.split('.');
  if (name.length > 253 || labels.some((label) => label.length < 1 || label.length > 63)) {
    throw invalidInput(
      `${field} must have a host of at most 253 characters in labels of 1 to 63, without a dot at its end`,
    );
  }
  if (!/^[a-z0-9_.-]+$/.test(name)) {
    throw invalidInput(`${field} must have a host of letters, digits, hyphens and dots`);
  }
  const ending = labels.at(-1) ?? '';
  const never = unresolvableEndings.get(ending);
  if (never !== undefined) throw invalidInput(`${field} must not lead to .${ending} (${never})`);
  if (advice === null) return;
  if (labels.length === 1) {
    const got = JSON.stringify(name);
    throw invalidInput(`${field} must have a full public host name, got ${got}; ${advice}`);
  }
  const local = localEndings.get(ending);
  if (local !== undefined) {
    throw invalidInput(
      `${field} must have a public host name, .${ending} is local (${local}); ${advice}`,
    );
  }
}

/** Whether a name always means this machine (RFC 6761 section 6.3). */
export function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/**
 * A host may be written in upper case or as an internationalised name. Percent-encoding and letters that the parser drops or
 * turns into ASCII (full width, circled) only disguise it.
 */
function checkWriting(name: string, written: string, field: string): void {
  if (written.includes('%')) throw invalidInput(`${field} must not percent-encode its host`);
  const plain = /^[\x21-\x7e]*$/.test(written);
  if (!plain && !name.split('.').some((label) => label.startsWith('xn--'))) {
    throw invalidInput(
      `${field} must write its host plainly, ${JSON.stringify(name.slice(0, 60))}`,
    );
  }
}
