/**
 * Redaction: the secrets a job sends are removed from the answers of its target. This is for targets that echo
 * requests; a target that wants to reveal a secret can write it in a way that is not found.
 */

import { maxPreviewBytes } from '../runs/preview.ts';
import { isSecretHeader } from '../jobs/headers.ts';
import { completionHeader } from '../runs/completion.ts';
import { maxLocationLength } from '../runs/outcome.ts';
import type { Response, TargetResult } from '../runs/outcome.ts';
import type { RequestSecrets } from './vault.ts';

/** Shorter values would be found by chance, in words and numbers. */
const minSecretLength = 8;
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
  if (name === completionHeader) return [value.slice(value.lastIndexOf('/') + 1)];
  if (name !== 'authorization') return [value];
  const [, scheme = '', credential = ''] = /^(\S+)\s+(.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() !== 'basic') return [value, credential];
  const pair = decodedBasic(credential);
  return [value, credential, pair, pair.slice(pair.indexOf(':') + 1)];
}

/** `user:password` (RFC 7617); empty if it is not base64. */
function decodedBasic(credential: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(credential), (c) => c.charCodeAt(0)));
  } catch {
    return '';
  }
}

/** As it is, in a JSON string (with and without `/` escaped), and in a query. */
function addSpellings(found: Set<string>, secret: string): void {
  if (secret.length < minSecretLength) return;
  const inJson = JSON.stringify(secret).slice(1, -1);
  found.add(secret).add(inJson).add(inJson.replaceAll('/', '\\/'));
  found.add(encodeURIComponent(secret.toWellFormed()));
}

/**
 * The text without the secrets. With `isCut` the text continued: its end may then be the beginning of a
 * secret, and is removed too.
 */
export function redact(text: string, secrets: readonly string[], isCut = false): string {
  const hits = secrets.flatMap((secret) => occurrences(text, secret, isCut));
  if (hits.length === 0) return text;
  let redacted = '';
  let end = 0;
  for (const { start, end: hitEnd } of joined(hits)) {
    // The few characters of a cut that may be a secret's first ones are not worth a marker.
    const isWorthOne = hitEnd - start >= minSecretLength;
    redacted += text.slice(end, start) + (isWorthOne ? marker : '');
    end = hitEnd;
  }
  return redacted + text.slice(end);
}

interface Span {
  start: number;
  end: number;
}

/** Merges overlapping spans: nothing of either may stay between two markers. */
function joined(spans: Span[]): Span[] {
  const apart: Span[] = [];
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = apart.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else apart.push({ ...span });
  }
  return apart;
}

function occurrences(text: string, secret: string, isCut: boolean): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
    spans.push({ start, end: start + secret.length });
  }
  const tail = isCut ? tailStart(text, secret) : text.length;
  if (tail < text.length) spans.push({ start: tail, end: text.length });
  return spans;
}

/** Where the longest end of the text starts that is the beginning of the secret; the text's length if there is none. */
function tailStart(text: string, secret: string): number {
  const first = secret.charAt(0);
  let start = text.indexOf(first, Math.max(0, text.length - secret.length + 1));
  while (start !== -1 && !secret.startsWith(text.slice(start))) {
    start = text.indexOf(first, start + 1);
  }
  return start === -1 ? text.length : start;
}

/** Whether a target's answer may contain a secret; most answers are too short. */
export function mayRepeat(result: TargetResult): boolean {
  if (result.kind === 'failure') return true;
  const { body, location, broken } = result.response;
  return body.length >= minSecretLength || location !== null || broken !== null;
}

/** An answer without the secrets; `truncated` fits the text that is kept. */
export function redactResult(result: TargetResult, secrets: readonly string[]): TargetResult {
  if (secrets.length === 0 || result.kind === 'failure') return result;
  const { response } = result;
  const { location } = response;
  return {
    kind: 'response',
    response: {
      ...response,
      ...redactedBody(response, secrets),
      location: location && redactedLocation(location, secrets),
    },
  };
}

/** A path that is secret begins with the slash that ends the host, which stays readable. */
function redactedLocation(location: string, secrets: readonly string[]): string {
  const redacted = redact(location, secrets, location.length === maxLocationLength);
  const [site = ''] = /^(?:[a-z][\w+.-]*:)?\/\/[^/?#]+/i.exec(location) ?? [];
  const isGlued = site !== '' && redacted.startsWith(`${site}${marker}`);
  return isGlued ? `${site}/${redacted.slice(site.length)}` : redacted;
}

function redactedBody({ body, truncated, broken }: Response, secrets: readonly string[]) {
  const redacted = redact(body, secrets, truncated || broken !== null);
  // A marker may be longer than the secret it replaces.
  const { read } = encoder.encodeInto(redacted, new Uint8Array(maxPreviewBytes));
  return { body: redacted.slice(0, read), truncated: truncated || read < redacted.length };
}
