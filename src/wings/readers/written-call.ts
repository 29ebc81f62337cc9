/** A call that is written as a command of another tool, and what a job can take from it. */

import { whyRefused } from '../../domain/jobs/headers.ts';
import { jobFields, methods } from '../../domain/jobs/fields.ts';
import type { Method } from '../../domain/jobs/job.ts';
import { reasons, type Remark } from './remark.ts';

/** The call that a job would make. Null where the command does not say. */
export interface WrittenCall {
  method: Method;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  timeoutSeconds: number | null;
  retries: number | null;
}

/** A command as it was read. Remarks never repeat the values of options: they may be secrets. */
export interface ReadCall {
  /** Null if anything is unhonoured. */
  call: WrittenCall | null;
  /** What a job could take of it, without the unhonoured parts; null if that is no call. */
  partial: WrittenCall | null;
  /** Parts that have no effect on the request. */
  ignored: readonly Remark[];
  /** Parts that a job does in another way, such as limits that it does not have. */
  adapted: readonly Remark[];
  /** Parts that a job cannot honour, and unknown options. */
  unhonoured: readonly Remark[];
}

interface Header {
  name: string;
  value: string;
}

/** A call while its command is read. */
export class CallDraft {
  urls: string[] = [];
  /** Parts that `-G` and `--url-query` add to the URL. */
  query: string[] = [];
  method: string | null = null;
  /** By names in lower case, so that a command with many headers costs no search for each. */
  readonly #headers = new Map<string, Header[]>();
  /** Headers from options of their own; those of `addHeader` override them, and the last of a name counts. */
  implied: Header[] = [];
  /** Names, in lower case, of headers that are not to be sent. */
  removed = new Set<string>();
  cookies: string[] = [];
  body: string | null = null;
  /** As wget gives them, each by itself. */
  user: string | null = null;
  password: string | null = null;
  /** `user:password`. */
  credentials: string | null = null;
  timeoutSeconds: number | null = null;
  retries: number | null = null;
  isHead = false;
  /** Whether there are options that jobd does not know. */
  hasUnknown = false;
  /** `-G` of curl: the data belongs into the query. */
  isQuery = false;
  isJson = false;
  isCompressed = false;
  /** `-g` of curl: brackets and braces in the URL are literal. */
  isLiteral = false;
  /** Whether the response is kept in a file with a name from the URL. */
  keepsFile = false;
  /** What a URL without a scheme has. */
  scheme = 'http';
  ignored: Remark[] = [];
  adapted: Remark[] = [];
  unhonoured: Remark[] = [];

  /** Notes a part that has no effect on the request. */
  ignore(text: string, reason: string): void {
    this.ignored.push({ text, reason });
  }

  /** Notes a part that a job does in another way. */
  adapt(text: string, reason: string): void {
    this.adapted.push({ text, reason });
  }

  /** Notes a part that a job cannot honour. */
  refuse(text: string, reason: string): void {
    this.unhonoured.push({ text, reason });
  }

  /** Whether a header is given, in any letter case. */
  hasHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase());
  }

  /** Adds a header, also beside others of its name. */
  addHeader(name: string, value: string): void {
    const same = this.#headers.get(name.toLowerCase());
    if (same === undefined) this.#headers.set(name.toLowerCase(), [{ name, value }]);
    else same.push({ name, value });
  }

  /** Takes out all headers of a name. */
  dropHeader(name: string): void {
    this.#headers.delete(name.toLowerCase());
  }

  /** All headers; those of one name are together. */
  headers(): Header[] {
    return [...this.#headers.values()].flat();
  }

  /** Adds the headers that the command implies and that are neither given nor removed. */
  addImplied(): void {
    for (const { name, value } of this.implied.toReversed()) this.#imply(name, value);
    // A body without a Content-Type is a form.
    if (this.body !== null) this.#imply('Content-Type', 'application/x-www-form-urlencoded');
  }

  #imply(name: string, value: string): void {
    if (this.hasHeader(name) || this.removed.has(name.toLowerCase())) return;
    this.addHeader(name, value);
  }
}

/** Sets the timeout: of whole seconds, and no longer than a job can have. 0 is none. */
export function setTimeoutSeconds(draft: CallDraft, value: string, written: string): void {
  const seconds = /^\d{1,9}(?:\.\d{0,9})?$/.test(value) ? Number(value) : NaN;
  if (Number.isNaN(seconds)) {
    return draft.refuse(`${written} ${value.slice(0, 20)}`, 'it takes a number of seconds');
  }
  if (seconds === 0) return void (draft.timeoutSeconds = null);
  const within = timeoutWithin(seconds, written);
  draft.timeoutSeconds = within.value;
  for (const one of within.adapted) draft.adapted.push(one);
}

/** The timeout of a job that is nearest to a number of seconds, and what is to be said of it. */
export function timeoutWithin(
  seconds: number,
  written: string,
): { value: number; adapted: Remark[] } {
  const { maximum } = jobFields.timeoutSeconds.rule;
  const text = `${written} ${seconds}`;
  if (seconds > maximum) {
    const reason = `lowered to ${maximum}, the most for an attempt`;
    return { value: maximum, adapted: [{ text, reason }] };
  }
  const value = Math.ceil(seconds);
  const reason = `rounded up to ${value}: jobd takes whole seconds`;
  return { value, adapted: value === seconds ? [] : [{ text, reason }] };
}

/** Sets the retries: no more than a job can have. */
export function setRetries(draft: CallDraft, value: string, written: string): void {
  const { maximum } = jobFields.retries.rule;
  const text = `${written} ${value.slice(0, 20)}`;
  if (!/^\d{1,9}$/.test(value)) return draft.refuse(text, 'it takes a whole number');
  draft.retries = Math.min(Number(value), maximum);
  if (Number(value) > maximum)
    draft.adapt(text, `lowered to ${maximum} retries, the most of a job`);
}

/** Files that hold what a command has said, and not what it was run for. */
const logFile = /^\/(?:tmp|dev)\/|\.(?:err|out)$|(?:^|[/._-])(?:cron)?logs?(?:[/._-]|$)/i;

/** Whether a file is a log, or no file at all, by its name. */
export function isLog(path: string): boolean {
  return logFile.test(path);
}

/** Judges an option with the name of a file for output. `why` is the reason if it is no file. */
export function judgeOutput(draft: CallDraft, path: string, written: string, why: string): void {
  // A web page makes a longer dash of the one.
  if (path === '/dev/null' || /^[-\u2010-\u2015\u2212]$/.test(path)) draft.ignore(written, why);
  else if (isLog(path)) draft.adapt(written, reasons.ownRecord);
  else draft.refuse(written, reasons.noFiles);
}

/** Checks the parts of a call together, and returns it if a job can make it. */
export function finishCall(draft: CallDraft): ReadCall {
  const url = finishUrl(draft);
  if (draft.credentials !== null && !draft.hasHeader('Authorization')) {
    draft.addHeader('Authorization', `Basic ${base64(draft.credentials)}`);
  }
  const headers = finishHeaders(draft, url);
  const asked = draft.method ?? 'GET';
  const method = methods.find((known) => known === asked.toUpperCase());
  if (method !== undefined && method !== asked) {
    draft.adapt(`method ${asked}`, `jobd sends ${method}`);
  }
  if (method === undefined) {
    draft.refuse(`method ${draft.method?.slice(0, 20)}`, `jobd sends ${methods.join(', ')}`);
  } else if (draft.body !== null && (method === 'GET' || method === 'HEAD')) {
    draft.refuse('a body', `jobd sends no body with ${method}`);
  }
  const { ignored, adapted, unhonoured, body, timeoutSeconds, retries } = draft;
  const isCall = url !== null && method !== undefined;
  const partial = isCall ? { method, url, headers, body, timeoutSeconds, retries } : null;
  return { call: unhonoured.length === 0 ? partial : null, partial, ignored, adapted, unhonoured };
}

/** Of the UTF-8 bytes. */
function base64(text: string): string {
  return btoa(
    Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''),
  );
}

function finishUrl(draft: CallDraft): string | null {
  const [given, ...more] = draft.urls;
  if (given === undefined) {
    draft.refuse('no URL', 'a job calls one URL');
    return null;
  }
  // The value of an option that jobd does not know looks like a URL.
  if (more.length > 0 && !draft.hasUnknown) {
    draft.refuse(`${draft.urls.length} URLs`, 'a job calls one URL');
  }
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  // Without a scheme the tools take http, unless the host name suggests another protocol.
  const isOther = /^(?:ftps?|dict|ldap|imap|smtp|pop3)\./i.test(given);
  if ((scheme !== undefined && scheme !== 'http' && scheme !== 'https') || isOther) {
    draft.refuse(scheme ?? 'the URL', 'jobd calls http and https');
    return null;
  }
  const url = scheme === undefined ? `${draft.scheme}://${given}` : given;
  const parsed = URL.parse(url);
  if (parsed === null) {
    draft.refuse('the URL', 'it is not valid');
    return null;
  }
  return withoutUser(url, parsed, draft);
}

/** A user in the URL is sent as a header, as the tools do. */
function withoutUser(url: string, parsed: URL, draft: CallDraft): string {
  const [, begin = '', user] = /^([a-z]+:\/\/)(?:([^/?#]*)@)?/i.exec(url) ?? [];
  if (user === undefined) return url;
  try {
    const [name, password] = [parsed.username, parsed.password].map(decodeURIComponent);
    draft.credentials ??= `${name}:${password}`;
  } catch {
    draft.refuse('the user in the URL', 'its percent-encoding is not UTF-8');
  }
  return begin + url.slice(begin.length + user.length + 1);
}

/** Headers of the connection that browsers copy. A job's connection has its own. */
const isOfConnection = /^(?:connection|keep-alive|te|content-length|transfer-encoding|expect)$/;

function finishHeaders(draft: CallDraft, url: string | null): Record<string, string> {
  const headers = new Map<string, string>();
  const seen = new Set<string>();
  const host = url === null ? undefined : URL.parse(url)?.host;
  for (const { name, value } of draft.headers()) {
    const text = `header ${name}`;
    const lowerCase = name.toLowerCase();
    const why = whyRefused(name);
    if (lowerCase === 'host' && value.toLowerCase() === host) {
      draft.ignore(text, 'it repeats the URL');
    } else if (why === undefined) {
      if (seen.has(lowerCase)) draft.refuse(text, 'a job sends each header once');
      else headers.set(name, value);
    } else if (isOfConnection.test(lowerCase)) draft.ignore(text, why);
    else draft.refuse(text, `a job cannot set it: ${why}`);
    seen.add(lowerCase);
  }
  return Object.fromEntries(headers);
}
