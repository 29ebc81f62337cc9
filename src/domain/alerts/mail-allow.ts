/** Addresses and domains that the operator allows mail to. */

import { invalidInput } from '../errors.ts';

/** One address of plain ASCII (RFC 5321 in its usual form); the local part needs no quotes. */
export const addressForm =
  /^(?=.{3,254}$)[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/**
 * `ops@example.com` is that address, `example.com` every address of that domain, `.example.com` every address of its
 * subdomains. Domains are in lower case.
 */
export type MailRule = string;

/** The message for addresses that no rule covers. It does not repeat the rules, which are the operator's. */
export function notAllowed(refused: readonly string[]): string {
  return `the operator of this jobd does not allow mail to ${refused.join(', ')}`;
}

/** Parses rules; `*.example.com` means `.example.com`. Throws `invalid_input`. */
export function parseMailRules(texts: readonly string[], name: string): readonly MailRule[] {
  const rules = texts.map((text) => lowerDomain(text.replace(/^\*\./, '.')));
  const wrong = texts.find((_, index) => !isRule(rules[index] ?? ''));
  if (wrong === undefined) return Object.freeze(rules);
  throw invalidInput(
    `${name} must be an address (ops@example.com), a domain (example.com) or its subdomains (.example.com), got ${wrong}`,
  );
}

function isRule(rule: string): boolean {
  // A star stands for subdomains. As a mailbox name it would cover nobody.
  if (rule.startsWith('*')) return false;
  return addressForm.test(rule.includes('@') ? rule : `x@${rule.replace(/^\./, '')}`);
}

/** Whether mail may go to an address; without rules it may go to any. */
export function isMailAllowed(address: string, rules: readonly MailRule[]): boolean {
  if (rules.length === 0) return true;
  const exact = lowerDomain(address);
  const domain = exact.slice(exact.lastIndexOf('@') + 1);
  return rules.some((rule) =>
    rule.startsWith('.') ? domain.endsWith(rule) : rule === exact || rule === domain,
  );
}

/** Domains ignore case (RFC 1034); local parts may not. */
function lowerDomain(text: string): string {
  const at = text.lastIndexOf('@') + 1;
  return text.slice(0, at) + text.slice(at).toLowerCase();
}
