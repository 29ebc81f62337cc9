/**
 * Redaction: the secrets a job sends are removed from the answers of its target. This is for targets that echo
 * requests; a target that wants to reveal a secret can write it in a way that is not found.
 */

import { ifPossible } from '../errors.ts';
import { maxPreviewBytes } from '../runs/preview.ts';
import { isSecretHeader } from '../jobs/headers.ts';
import { reportHeader } from '../runs/report.ts';
import { maxLocationLength } from '../runs/outcome.ts';
import type { Failure, Response, TargetResult } from '../runs/outcome.ts';
import { Occurrences, shortestSecret, type Span } from './occurrences.ts';
import type { RequestSecrets } from './vault.ts';

const marker = '[redacted]';

const encoder = new TextEncoder();

/** The texts to search for: header values, in the spellings in which targets echo them. */
export function secretTexts(headers: RequestSecrets['headers']): string[] {
  const secret = Object.entries(headers).filter(([name]) => isSecretHeader(name));
  return spellingsOf(secret.flatMap(([name, value]) => partsOf(name.toLowerCase(), value)));
}

/** Secrets in the spellings in which the other side repeats them, without those that are too short. */
export function spellingsOf(secrets: readonly string[]): string[] {
  const found = new Set<string>();
  for (const secret of secrets) addSpellings(found, secret);
  return [...found];
}

/** A value, and the parts of it that are secrets by themselves. */
function partsOf(name: string, value: string): string[] {
  if (name === 'cookie') {
    return [value, ...value.split(/;\s*/).map((pair) => pair.slice(pair.indexOf('=') + 1))];
  }
  // The end of the URL is what lets it be used.
  if (name === reportHeader) return [value.slice(value.lastIndexOf('/') + 1)];
  if (name !== 'authorization') return [value];
  const [, scheme = '', credential = ''] = /^(\S+)\s+(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, credential];
  const pair = decodedBasic(credential);
  return [value, credential, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** `user:password` (RFC 7617); empty if it is not base64. */
function decodedBasic(credential: string): string {
  const text = ifPossible(() => atob(credential)) ?? '';
  return new TextDecoder().decode(Uint8Array.from(text, (c) => c.charCodeAt(0)));
}

/** What PHP, Go, Python and .NET escape in a JSON string that JavaScript does not. */
const escapedInJson = [/[<>&]/g, /[^ -~]/g, /[^ -~]|[<>&'+`]|\\"/g];

/** As it is, in a JSON string, and percent-encoded in a query or a form; with digits in either case. */
function addSpellings(found: Set<string>, secret: string): void {
  if (secret.length < shortestSecret) return;
  const text = secret.toWellFormed();
  const inJson = JSON.stringify(secret).slice(1, -1);
  const escaped = escapedInJson.map((odd) => inJson.replace(odd, inUnicode));
  const inForm = new URLSearchParams({ '': text }).toString().slice(1);
  const all = [secret, inJson, inJson.replaceAll('/', '\\/'), ...escaped];
  for (const one of [...all, encodeURIComponent(text), inForm])
    found.add(one).add(one.replace(/%[0-9A-F]{2}|\\u[0-9A-F]{4}/g, (code) => code.toLowerCase()));
}

function inUnicode(odd: string): string {
  const code = odd.charCodeAt(odd.length - 1).toString(16);
  return `\\u${code.toUpperCase().padStart(4, '0')}`;
}

/** Takes some secrets out of texts. */
export interface Redactor {
  /** The text without the secrets. With `isCut` the text continued: an end that may begin a secret is removed too. */
  readonly redact: (text: string, isCut?: boolean) => string;
}

/** Prepares to take secrets out of several texts. What is shorter than any secret stays. */
export function createRedactor(secrets: readonly string[]): Redactor {
  if (secrets.length === 0) return { redact: (text) => text };
  const occurrences = new Occurrences(secrets);
  return { redact: (text, isCut = false) => without(occurrences.in(text, isCut), text) };
}

/** The text without the secrets, where there is only one text. */
export function redact(text: string, secrets: readonly string[], isCut = false): string {
  return createRedactor(secrets).redact(text, isCut);
}

function without(spans: readonly Span[], text: string): string {
  if (spans.length === 0) return text;
  let redacted = '';
  let end = 0;
  for (const span of spans) {
    // The few characters of a cut that may be a secret's first ones are not worth a marker.
    const isWorthOne = span.end - span.start >= shortestSecret;
    redacted += text.slice(end, span.start) + (isWorthOne ? marker : '');
    end = span.end;
  }
  return redacted + text.slice(end);
}

/** Whether a target's answer may contain a secret; most answers are too short. */
export function mayRepeat(result: TargetResult): boolean {
  if (result.kind === 'failure') return true;
  const { body, location, broken } = result.response;
  return body.length >= shortestSecret || location !== null || broken !== null;
}

/** An answer without the secrets; `truncated` fits the text that is kept. */
export function redactResult(result: TargetResult, redactor: Redactor): TargetResult {
  if (result.kind === 'failure')
    return { kind: 'failure', failure: redactedFailure(result.failure, redactor) };
  const { response } = result;
  const { location } = response;
  return {
    kind: 'response',
    response: {
      ...response,
      ...redactedBody(response, redactor),
      location: location && redactedLocation(location, redactor),
    },
  };
}

/** What was seen of an answer is only its beginning. */
function redactedFailure(failure: Failure, redactor: Redactor): Failure {
  const { detail, seen } = failure;
  const shown = seen === undefined ? {} : { seen: redactor.redact(seen, true) };
  return { ...failure, detail: redactor.redact(detail), ...shown };
}

/** A path that is secret begins with the slash that ends the host, which stays readable. */
function redactedLocation(location: string, redactor: Redactor): string {
  const redacted = redactor.redact(location, location.length === maxLocationLength);
  const [site = ''] = /^(?:[a-z][\w+.-]*:)?\/\/[^/?#]+/i.exec(location) ?? [];
  const isGlued = site !== '' && redacted.startsWith(`${site}${marker}`);
  return isGlued ? `${site}/${redacted.slice(site.length)}` : redacted;
}

function redactedBody({ body, truncated, broken }: Response, redactor: Redactor) {
  const redacted = redactor.redact(body, truncated || broken !== null);
  // A marker may be longer than the secret it replaces.
  const { read } = encoder.encodeInto(redacted, new Uint8Array(maxPreviewBytes));
  return { body: redacted.slice(0, read), truncated: truncated || read < redacted.length };
}
