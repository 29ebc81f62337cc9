/** The call that a curl command makes, as far as a job can make it. */
import { curlSyntax } from './curl-options.ts';
import { optionReader } from './options.ts';
import { reasons } from './remark.ts';
import { CallDraft, finishCall, type ReadCall } from './written-call.ts';

const readOptions = optionReader(curlSyntax);

/** Reads the words after `curl`, as a shell made them. Never throws. */
export function readCurl(words: readonly string[]): ReadCall {
  const draft = new CallDraft();
  readOptions(words, draft);
  judgeKeptFile(draft);
  checkGlob(draft);
  moveDataIntoQuery(draft);
  if (draft.isHead && draft.body !== null) {
    draft.refuse('data with --head', 'curl allows only one of them');
  }
  draft.method ??= draft.isHead ? 'HEAD' : draft.body === null ? 'GET' : 'POST';
  addHeaders(draft);
  judgeRemoved(draft);
  if (draft.isCompressed) {
    draft.dropHeader('Accept-Encoding');
    draft.ignore('--compressed', 'jobd asks for uncompressed responses');
  }
  return finishCall(draft);
}

/** `-O` keeps the response under a name of its own. Many write it for `-o`, and curl takes `/dev/null` for a URL. */
function judgeKeptFile(draft: CallDraft): void {
  if (!draft.keepsFile) return;
  const others = draft.urls.filter((url) => url !== '/dev/null');
  if (others.length === draft.urls.length) return draft.refuse('-O', reasons.noFiles);
  draft.urls = others;
  draft.ignore('-O /dev/null', 'it is read as -o /dev/null');
}

/** Brackets and braces mean several URLs, except around an IPv6 address. */
function checkGlob(draft: CallDraft): void {
  if (draft.isLiteral) return;
  for (const url of draft.urls) {
    const rest = url.replace(/^([a-z]+:\/\/)?([^/?#]*@)?\[[0-9a-f:.]+\]/i, '');
    if (!/[[\]{}]/.test(rest)) continue;
    draft.refuse('brackets or braces in the URL', 'they mean several URLs: use -g if they do not');
  }
}

function moveDataIntoQuery(draft: CallDraft): void {
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

/** Headers that curl sends unless `-H` overrides or removes them. */
function addHeaders(draft: CallDraft): void {
  if (draft.isJson) {
    for (const name of ['Accept', 'Content-Type']) {
      draft.implied.push({ name, value: 'application/json' });
    }
  }
  draft.addImplied();
  if (draft.cookies.length === 0) return;
  if (draft.hasHeader('Cookie')) {
    draft.refuse('header Cookie', 'a job sends each header once: give either -b or -H');
  } else {
    draft.addHeader('Cookie', draft.cookies.join(';'));
  }
}

/** A job can leave out only the headers that it does not send anyway. */
function judgeRemoved(draft: CallDraft): void {
  for (const name of draft.removed) {
    if (draft.hasHeader(name)) continue;
    const isSent =
      name === 'user-agent' || name === 'host' || (name === 'content-type' && draft.body !== null);
    if (isSent) draft.refuse(`header ${name}`, reasons.alwaysSent);
    else draft.ignore(`header ${name}`, 'a job does not send it anyway');
  }
}
