/** A call that is written as a command of another tool, and what a job can take from it. */

import { whyRefused } from '../../domain/jobs/headers.ts';
import { jobRules, methods } from '../../domain/jobs/job.ts';
import type { Method } from '../../domain/jobs/job.ts';
import type { Remark } from './remark.ts';

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
  /** `user:password`. */
  credentials: string | null = null;
  timeoutSeconds: number | null = null;
  retries: number | null = null;
  isHead = false;
  /** `-G` of curl: the data belongs into the query. */
  isQuery = false;
  isJson = false;
  isCompressed = false;
  /** `-g` of curl: brackets and braces in the URL are literal. */
  isLiteral = false;
  /** Whether wget keeps the response in a file, as it does by default. */
  keepsFile = true;
  ignored: Remark[] = [];
  unhonoured: Remark[] = [];

  /** Notes a part that has no effect on the request. */
  ignore(text: string, reason: string): void {
    this.ignored.push({ text, reason });
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

/** Sets the timeout, if a job can have it. */
export function setTimeoutSeconds(draft: CallDraft, value: string, written: string): void {
  const { timeoutSeconds } = jobRules;
  draft.timeoutSeconds = wholeWithin(draft, value, written, timeoutSeconds, 'whole seconds');
}

/** Sets the number of retries, if a job can have it. */
export function setRetries(draft: CallDraft, value: string, written: string): void {
  draft.retries = wholeWithin(draft, value, written, jobRules.retries, 'a number of retries');
}

function wholeWithin(
  draft: CallDraft,
  value: string,
  written: string,
  { minimum, maximum }: { minimum: number; maximum: number },
  what: string,
): number | null {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : NaN;
  if (number >= minimum && number <= maximum) return number;
  draft.refuse(
    `${written} ${value.slice(0, 20)}`,
    `jobd takes ${what} from ${minimum} to ${maximum}`,
  );
  return null;
}

/** Checks the parts of a call together, and returns it if a job can make it. */
export function finishCall(draft: CallDraft): ReadCall {
  const url = finishUrl(draft);
  if (draft.credentials !== null && !draft.hasHeader('Authorization')) {
    draft.addHeader('Authorization', `Basic ${base64(draft.credentials)}`);
  }
  const headers = finishHeaders(draft, url);
  const method = methods.find((known) => known === (draft.method ?? 'GET'));
  if (method === undefined) {
    draft.refuse(`method ${draft.method?.slice(0, 20)}`, `jobd sends ${methods.join(', ')}`);
  } else if (draft.body !== null && (method === 'GET' || method === 'HEAD')) {
    draft.refuse('a body', `jobd sends no body with ${method}`);
  }
  const { ignored, unhonoured, body, timeoutSeconds, retries } = draft;
  const isCall = url !== null && method !== undefined;
  const partial = isCall ? { method, url, headers, body, timeoutSeconds, retries } : null;
  return { call: unhonoured.length === 0 ? partial : null, partial, ignored, unhonoured };
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
  if (more.length > 0) draft.refuse(`${draft.urls.length} URLs`, 'a job calls one URL');
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]?.toLowerCase();
  // Without a scheme the tools take http, unless the host name suggests another protocol.
  const isOther = /^(?:ftps?|dict|ldap|imap|smtp|pop3)\./i.test(given);
  if ((scheme !== undefined && scheme !== 'http' && scheme !== 'https') || isOther) {
    draft.refuse(scheme ?? 'the URL', 'jobd calls http and https');
    return null;
  }
  const url = scheme === undefined ? `http://${given}` : given;
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
