/** The call that a curl command makes (curl.se/docs/manpage.html), as far as a job can make it. */

import { applyOptions } from './command-options.ts';
import { curlSyntax } from './curl-options.ts';
import type { CurlDraft } from './curl-options.ts';
import { alwaysSent } from './reasons.ts';
import { defaultHeader, emptyDraft, finishCall, hasHeader } from './written-call.ts';
import type { ReadCall } from './written-call.ts';

/** Reads the words behind `curl`, as a shell made them. Never throws. */
export function readCurl(words: readonly string[]): ReadCall {
  const draft: CurlDraft = {
    ...emptyDraft(),
    isHead: false,
    isQuery: false,
    query: [],
    isJson: false,
    isCompressed: false,
    isLiteral: false,
    cookies: [],
    implied: [],
    removed: [],
  };
  const { operands, unknown } = applyOptions(words, curlSyntax, draft);
  draft.unhonoured.push(...unknown);
  draft.urls.push(...operands);
  checkGlob(draft);
  moveDataIntoQuery(draft);
  chooseMethod(draft);
  addImpliedHeaders(draft);
  judgeRemoved(draft);
  judgeCompressed(draft);
  return finishCall(draft);
}

/** Brackets and braces stand for several URLs, except around an IPv6 address. */
function checkGlob(draft: CurlDraft): void {
  if (draft.isLiteral) return;
  for (const url of draft.urls) {
    const rest = url.replace(/^([a-z]+:\/\/)?([^/?#@]*@)?\[[0-9a-f:.]+\]/i, '');
    if (!/[[\]{}]/.test(rest)) continue;
    const reason = 'they stand for several URLs: give -g if they mean themselves';
    draft.unhonoured.push({ text: 'brackets or braces in the URL', reason });
  }
}

function moveDataIntoQuery(draft: CurlDraft): void {
  const query = [...draft.query];
  if (draft.isQuery && draft.body !== null) {
    query.push(draft.body);
    draft.body = null;
  }
  const [url, ...more] = draft.urls;
  if (url === undefined || query.length === 0) return;
  const [, base = '', fragment = ''] = /^([^#]*)(#[\s\S]*)?$/.exec(url) ?? [];
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  draft.urls = [base + joint + query.join('&') + fragment, ...more];
}

function chooseMethod(draft: CurlDraft): void {
  if (draft.isHead && draft.body !== null) {
    const reason = 'curl takes only one of them';
    draft.unhonoured.push({ text: 'data with --head', reason });
  }
  draft.method ??= draft.isHead ? 'HEAD' : draft.body === null ? 'GET' : 'POST';
}

/** Those that curl sends unless `-H` gives others. */
function addImpliedHeaders(draft: CurlDraft): void {
  if (draft.isJson) {
    implyHeader(draft, 'Content-Type', 'application/json');
    implyHeader(draft, 'Accept', 'application/json');
  } else if (draft.body !== null) {
    implyHeader(draft, 'Content-Type', 'application/x-www-form-urlencoded');
  }
  // The last of each name counts.
  for (const { name, value } of draft.implied.toReversed()) implyHeader(draft, name, value);
  if (draft.cookies.length === 0) return;
  if (hasHeader(draft, 'Cookie')) {
    const reason = 'a job sends each header once: give one of -b and -H';
    draft.unhonoured.push({ text: 'header Cookie', reason });
  } else {
    defaultHeader(draft, 'Cookie', draft.cookies.join(';'));
  }
}

function implyHeader(draft: CurlDraft, name: string, value: string): void {
  if (!draft.removed.includes(name.toLowerCase())) defaultHeader(draft, name, value);
}

/** A job can leave out what it does not send anyhow. */
function judgeRemoved(draft: CurlDraft): void {
  for (const name of draft.removed) {
    const isSent =
      name === 'user-agent' || name === 'host' || (name === 'content-type' && draft.body !== null);
    const text = `header ${name}`;
    if (hasHeader(draft, name)) continue;
    if (isSent) draft.unhonoured.push({ text, reason: alwaysSent });
    else draft.ignored.push({ text, reason: 'a job sends none anyhow' });
  }
}

/** What curl would unpack is asked for unpacked. */
function judgeCompressed(draft: CurlDraft): void {
  if (!draft.isCompressed) return;
  draft.headers = draft.headers.filter(({ name }) => name.toLowerCase() !== 'accept-encoding');
  const reason = 'jobd keeps answers as they come, and asks for them uncompressed';
  draft.ignored.push({ text: '--compressed', reason });
}
