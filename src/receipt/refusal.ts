/** Refusals of foreign files, in words that are safe to show. */

/** `unreadable`: no JSON document or no key, so that nothing can be judged. `invalid`: readable, but not valid. */
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

/** A refusal because nothing can be judged. */
export function unreadable(reason: string): Refusal {
  return new Refusal('unreadable', reason);
}

/** A refusal of a readable file that is not valid. */
export function invalid(reason: string): Refusal {
  return new Refusal('invalid', reason);
}

/** Longest foreign text that is repeated, in UTF-16 code units. */
const longest = 100;

/** Foreign text in quotes, in printable ASCII and shortened. */
export function shown(text: string): string {
  const start = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return `"${escaped(start)}"`;
}

/** Foreign text in printable ASCII and `…`: it can neither control a terminal nor imitate other characters. */
export function escaped(text: string): string {
  return text.replace(/[^ -~\u2026]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
