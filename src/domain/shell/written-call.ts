/** A call that people wrote down as a command of another tool, and what of it a job can say. */

import { whyRefused } from '../jobs/headers.ts';
import { jobLimits, methods } from '../jobs/job.ts';
import type { Method } from '../jobs/job.ts';
import type { OptionRule } from './command-options.ts';
import type { Remark } from './remark.ts';

/** What a job would send. Null where the command does not say. */
export interface WrittenCall {
  method: Method;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  timeoutSeconds: number | null;
  retries: number | null;
}

/** A command as it was read. Values of options are never repeated in the remarks: they may be secrets. */
export interface ReadCall {
  /** Null if anything is unhonoured. */
  call: WrittenCall | null;
  /** Options that change nothing about what is sent. */
  ignored: readonly Remark[];
  /** What a job cannot do, or what is no option of the command. */
  unhonoured: readonly Remark[];
}

/** A call while its command is read. */
export interface CallDraft {
  urls: string[];
  method: string | null;
  headers: { name: string; value: string }[];
  body: string | null;
  /** `user:password`. */
  credentials: string | null;
  timeoutSeconds: number | null;
  retries: number | null;
  ignored: Remark[];
  unhonoured: Remark[];
}

/** A call of which nothing is said yet. */
export function emptyDraft(): CallDraft {
  return {
    urls: [],
    method: null,
    headers: [],
    body: null,
    credentials: null,
    timeoutSeconds: null,
    retries: null,
    ignored: [],
    unhonoured: [],
  };
}

/** Options of these names, separated by spaces, are ignored for this reason. */
export function ignoring<Draft extends CallDraft>(
  names: string,
  takesValue: boolean,
  reason: string,
): Record<string, OptionRule<Draft>> {
  return saying(names, takesValue, (draft, text) => draft.ignored.push({ text, reason }));
}

/** Options of these names, separated by spaces, cannot be honoured for this reason. */
export function refusing<Draft extends CallDraft>(
  names: string,
  takesValue: boolean,
  reason: string,
): Record<string, OptionRule<Draft>> {
  return saying(names, takesValue, (draft, text) => draft.unhonoured.push({ text, reason }));
}

function saying<Draft extends CallDraft>(
  names: string,
  takesValue: boolean,
  say: (draft: Draft, written: string) => void,
): Record<string, OptionRule<Draft>> {
  const rule: OptionRule<Draft> = {
    takesValue,
    apply: (draft, _, written) => say(draft, written),
  };
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, rule]));
}

/** A number of whole seconds or attempts, if a job can have it. Else it is unhonoured. */
export function wholeWithin(
  draft: CallDraft,
  { written, value, min, max, what }: WholeNumber,
): number | null {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (number >= min && number <= max) return number;
  const reason = `jobd takes ${what}, from ${min} to ${max}`;
  draft.unhonoured.push({ text: `${written} ${value.slice(0, 20)}`, reason });
  return null;
}

interface WholeNumber {
  written: string;
  value: string;
  min: number;
  max: number;
  what: string;
}

/** The bounds of a timeout. */
export const timeoutBounds = { ...jobLimits.timeoutSeconds, what: 'whole seconds' };
/** The bounds of further attempts. */
export const retryBounds = { ...jobLimits.retries, what: 'a number of further attempts' };

/** Sets a header that the command implies, unless it is given. */
export function defaultHeader(draft: CallDraft, name: string, value: string): void {
  if (!hasHeader(draft, name)) draft.headers.push({ name, value });
}

/** Whether a header is given, in any letter case. */
export function hasHeader({ headers }: CallDraft, name: string): boolean {
  return headers.some((header) => header.name.toLowerCase() === name.toLowerCase());
}

/** The call as a whole: its rules are those between the options. */
export function finishCall(draft: CallDraft): ReadCall {
  const refuse = (text: string, reason: string): void => {
    draft.unhonoured.push({ text, reason });
  };
  const url = finishUrl(draft, refuse);
  if (draft.credentials !== null) {
    defaultHeader(
      draft,
      'Authorization',
      `Basic ${Buffer.from(draft.credentials).toString('base64')}`,
    );
  }
  const headers = finishHeaders(draft, url, refuse);
  const method = methods.find((known) => known === (draft.method ?? 'GET'));
  if (method === undefined) {
    refuse(`method ${draft.method?.slice(0, 20)}`, `jobd sends ${methods.join(', ')}`);
  } else if (draft.body !== null && (method === 'GET' || method === 'HEAD')) {
    refuse('a body', `jobd sends none with ${method}`);
  }
  const { ignored, unhonoured, body, timeoutSeconds, retries } = draft;
  const isWhole = unhonoured.length === 0 && url !== null && method !== undefined;
  const call = isWhole ? { method, url, headers, body, timeoutSeconds, retries } : null;
  return { call, ignored, unhonoured };
}

type Refuse = (text: string, reason: string) => void;

function finishUrl(draft: CallDraft, refuse: Refuse): string | null {
  const [given, ...more] = draft.urls;
  if (given === undefined) {
    refuse('no URL', 'a job calls one');
    return null;
  }
  if (more.length > 0) refuse(`${draft.urls.length} URLs`, 'a job calls one');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  // Without a scheme the tools take http, unless the name of the host says another protocol.
  const guess = /^(?:ftps?|dict|ldap|imap|smtp|pop3)\./i.test(given);
  if ((scheme !== undefined && scheme !== 'http' && scheme !== 'https') || guess) {
    refuse(scheme ?? 'the URL', 'jobd calls http and https');
    return null;
  }
  const full = scheme === undefined ? `http://${given}` : given;
  const parsed = URL.parse(full);
  if (parsed === null) {
    refuse('the URL', 'it is none');
    return null;
  }
  return withoutUser(full, parsed, draft, refuse);
}

/** A user in the URL is sent as a header, as the tools do it. */
function withoutUser(full: string, parsed: URL, draft: CallDraft, refuse: Refuse): string {
  const [, begin = '', user] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?/i.exec(full) ?? [];
  if (user === undefined) return full;
  try {
    const [name, password] = [parsed.username, parsed.password].map(decodeURIComponent);
    draft.credentials ??= `${name}:${password}`;
  } catch {
    refuse('the user in the URL', 'its escapes are no UTF-8 text');
  }
  return begin + full.slice(begin.length + user.length + 1);
}

function finishHeaders(
  draft: CallDraft,
  url: string | null,
  refuse: Refuse,
): Record<string, string> {
  const headers = new Map<string, string>();
  const seen = new Set<string>();
  const host = url === null ? undefined : URL.parse(url)?.host;
  for (const { name, value } of draft.headers) {
    const text = `header ${name}`;
    const lowerCase = name.toLowerCase();
    const why = whyRefused(name);
    const isHost = lowerCase === 'host' && value.toLowerCase() === host;
    if (isHost) draft.ignored.push({ text, reason: 'it is what the URL says' });
    else if (why !== undefined && isOfConnection.test(lowerCase)) {
      draft.ignored.push({ text, reason: why });
    } else if (why !== undefined) refuse(text, `a job cannot set it: ${why}`);
    else if (seen.has(lowerCase)) refuse(text, 'a job sends each header once');
    else headers.set(name, value);
    seen.add(lowerCase);
  }
  return Object.fromEntries(headers);
}

/** What browsers write of their own connection: a job has another, and what it calls hears the same. */
const isOfConnection = /^(?:connection|keep-alive|te|content-length|transfer-encoding|expect)$/;
