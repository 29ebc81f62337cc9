/** Why there is no good verdict, in words that are safe to show: they are about files of others. */

/**
 * What a refused file is: `unreadable` is no JSON document, or no key, so that nothing can be judged;
 * `invalid` was read and does not hold.
 */
export type RefusalKind = 'unreadable' | 'invalid';

/** A file that is refused; the message is a clause for people. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, reason: string) {
    super(reason);
    this.kind = kind;
  }
}

/** Shorthand: nothing can be judged. */
export function unreadable(reason: string): Refusal {
  return new Refusal('unreadable', reason);
}

/** Shorthand: it was read and does not hold. */
export function invalid(reason: string): Refusal {
  return new Refusal('invalid', reason);
}

/** Longest text of others that is repeated, in UTF-16 code units. */
const longest = 100;

/** Text of others between quotes, in printable ASCII, shortened. */
export function shown(text: string): string {
  const start = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `"${escaped(start)}"`;
}

/** Text of others in printable ASCII and `…`: nothing that steers a terminal or looks like other text. */
export function escaped(text: string): string {
  return text.replace(/[^ -~\u2026]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
