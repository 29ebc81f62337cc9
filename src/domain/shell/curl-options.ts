/** The options of curl, by its manual (curl.se/docs/manpage.html), and what each means to a job. */

import type { OptionRule, OptionSyntax } from './command-options.ts';
import {
  changesNothing,
  followsNothing,
  headerForm,
  noFiles,
  ownTls,
  ownWay,
  readsNoFiles,
} from './reasons.ts';
import { ignoring, refusing, retryBounds, timeoutBounds, wholeWithin } from './written-call.ts';
import type { CallDraft } from './written-call.ts';

/** What only curl knows while its options are read. */
export interface CurlDraft extends CallDraft {
  isHead: boolean;
  /** `-G`: the data belongs into the query. */
  isQuery: boolean;
  /** What else belongs into it. */
  query: string[];
  isJson: boolean;
  isCompressed: boolean;
  /** `-g`: brackets and braces in the URL mean themselves. */
  isLiteral: boolean;
  cookies: string[];
  /** Headers that `-H` of the same name wins over. */
  implied: { name: string; value: string }[];
  /** Headers that are not to be sent. */
  removed: string[];
}

type Rule = OptionRule<CurlDraft>;

const sets = (apply: Rule['apply']): Rule => ({ takesValue: true, apply });
const turns = (apply: (draft: CurlDraft) => void): Rule => ({ takesValue: false, apply });

const onlyPrints = 'it changes what curl prints, and nothing that is sent';
const oneHttp = 'jobd speaks HTTP/1.1';
const noRedirects = 'jobd follows no redirects: give the URL that they lead to';
const onlyBasic = 'a job can send Basic, or an Authorization header of its own';
const ownRetries = 'jobd has its own rule for what is tried again, and when';
const noPartOfCall = 'it is not for HTTP';

/** Data as `-d` gives it; several are joined by `&`. */
function addData(draft: CurlDraft, value: string): void {
  draft.body = draft.body === null ? value : `${draft.body}&${value}`;
}

/** The same, unless it is the name of a file. */
const data = sets((draft, value, written) => {
  if (value.startsWith('@')) draft.unhonoured.push({ text: written, reason: readsNoFiles });
  else addData(draft, value);
});

const json = sets((draft, value, written) => {
  draft.isJson = true;
  if (value.startsWith('@')) draft.unhonoured.push({ text: written, reason: readsNoFiles });
  else draft.body = (draft.body ?? '') + value;
});

const encoded = (add: (draft: CurlDraft, pair: string) => void): Rule =>
  sets((draft, value, written) => {
    const pair = encodePair(value);
    if (pair === null) draft.unhonoured.push({ text: written, reason: readsNoFiles });
    else add(draft, pair);
  });

/** `content`, `=content` and `name=content` with the content encoded; null for a file (`@` before any `=`). */
function encodePair(value: string): string | null {
  const equals = value.indexOf('=');
  if (equals === -1 && value.includes('@')) return null;
  const name = value.slice(0, Math.max(equals, 0));
  const content = encodeURIComponent(value.slice(equals + 1).toWellFormed())
    .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
  return name === '' ? content : `${name}=${content}`;
}

const header = sets((draft, value, written) => {
  const [, name = '', mark, rest = ''] = /^([^:;]*)([:;])([\s\S]*)$/.exec(value) ?? [];
  if (value.startsWith('@')) {
    draft.unhonoured.push({ text: written, reason: readsNoFiles });
  } else if (mark === undefined || name.trim() === '') {
    draft.unhonoured.push({ text: written, reason: headerForm });
  } else if (mark === ':' && rest.trim() === '') {
    draft.removed.push(name.trim().toLowerCase());
  } else if (mark === ';' && rest.trim() !== '') {
    draft.unhonoured.push({ text: written, reason: headerForm });
  } else {
    draft.headers.push({ name: name.trim(), value: rest.trim() });
  }
});

const cookie = sets((draft, value, written) => {
  if (value.includes('=')) draft.cookies.push(value);
  else draft.unhonoured.push({ text: written, reason: readsNoFiles });
});

const user = sets((draft, value, written) => {
  if (value.includes(':')) draft.credentials = value;
  else draft.unhonoured.push({ text: written, reason: 'nobody can be asked for the password' });
});

const file = sets((draft, value, text) => {
  const isNowhere = value === '/dev/null' || value === '-';
  if (isNowhere) draft.ignored.push({ text, reason: onlyPrints });
  else draft.unhonoured.push({ text, reason: noFiles });
});

const rules: Record<string, Rule> = {
  ...refusing(
    'abstract-unix-socket alt-svc connect-to dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url haproxy-clientip hsts interface local-port noproxy preproxy proxy proxy1.0 proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user request-target resolve socks4 socks4a socks5 socks5-gssapi-service socks5-hostname unix-socket happy-eyeballs-timeout-ms ip-tos vlan-priority',
    true,
    ownWay,
  ),
  ...refusing(
    'ipv4 ipv6 haproxy-protocol path-as-is proxytunnel proxy-anyauth proxy-basic proxy-digest proxy-insecure proxy-negotiate proxy-ntlm tcp-fastopen',
    false,
    ownWay,
  ),
  ...refusing(
    'cacert capath cert cert-type ciphers crlfile curves engine key key-type pass pinnedpubkey tls-max tls13-ciphers tlsauthtype tlspassword tlsuser sigalgs ech',
    true,
    ownTls,
  ),
  ...refusing(
    'insecure cert-status ssl-allow-beast ssl-no-revoke sslv2 sslv3 tlsv1.3',
    false,
    ownTls,
  ),
  ...refusing('location location-trusted follow', false, noRedirects),
  ...refusing('http1.0 http0.9 http2-prior-knowledge http3 http3-only', false, oneHttp),
  ...refusing('anyauth digest negotiate ntlm ntlm-wb netrc netrc-optional', false, onlyBasic),
  ...refusing('netrc-file aws-sigv4 login-options delegation service-name', true, onlyBasic),
  ...refusing('form form-string', true, 'a job sends no forms with parts: give its body as text'),
  ...refusing('config upload-file etag-compare etag-save variable', true, readsNoFiles),
  ...refusing('cookie-jar output-dir libcurl', true, noFiles),
  ...refusing('remote-name remote-name-all', false, noFiles),
  ...refusing('next parallel parallel-immediate', false, 'a job makes one call'),
  ...refusing('time-cond continue-at', true, 'a job sends the same each time'),
  ...refusing(
    'limit-rate rate speed-limit speed-time max-filesize',
    true,
    'jobd has its own limits',
  ),
  ...refusing('tr-encoding ignore-content-length crlf', false, 'a job cannot say so'),
  ...refusing('append list-only use-ascii ssl ssl-reqd', false, noPartOfCall),
  ...refusing(
    'quote ftp-port ftp-method mail-from mail-rcpt mail-auth telnet-option tftp-blksize',
    true,
    noPartOfCall,
  ),
  ...refusing('help manual version', false, 'it calls nothing'),
  ...ignoring(
    'silent show-error verbose include progress-bar no-progress-meter no-buffer styled-output no-styled-output remote-header-name remote-time create-dirs trace-time xattr raw',
    false,
    onlyPrints,
  ),
  ...ignoring('write-out stderr trace trace-ascii trace-config', true, onlyPrints),
  ...ignoring('fail fail-with-body fail-early', false, 'a status that is not 2xx is a failed run'),
  ...ignoring('http1.1 http2', false, oneHttp),
  ...ignoring('retry-all-errors retry-connrefused', false, ownRetries),
  ...ignoring('retry-delay retry-max-time', true, ownRetries),
  ...ignoring(
    'connect-timeout keepalive-time expect100-timeout',
    true,
    'the timeout of a job holds for the whole call',
  ),
  ...ignoring('max-redirs proto-redir', true, followsNothing),
  ...ignoring('no-location post301 post302 post303', false, followsNothing),
  ...ignoring('basic', false, 'Basic is what is sent'),
  ...ignoring('tlsv1 tlsv1.0 tlsv1.1 tlsv1.2', false, 'jobd speaks TLS 1.2 and 1.3'),
  ...ignoring(
    'disable tcp-nodelay no-keepalive no-sessionid no-alpn junk-session-cookies disallow-username-in-url',
    false,
    changesNothing,
  ),
  request: sets((draft, value) => {
    draft.method = value;
  }),
  head: turns((draft) => {
    draft.isHead = true;
  }),
  get: turns((draft) => {
    draft.isQuery = true;
  }),
  globoff: turns((draft) => {
    draft.isLiteral = true;
  }),
  compressed: turns((draft) => {
    draft.isCompressed = true;
  }),
  url: sets((draft, value) => {
    draft.urls.push(value);
  }),
  'url-query': sets((draft, value, written) => {
    const pair = value.startsWith('+') ? value.slice(1) : encodePair(value);
    if (pair === null) draft.unhonoured.push({ text: written, reason: readsNoFiles });
    else draft.query.push(pair);
  }),
  data,
  'data-ascii': data,
  'data-binary': data,
  'data-raw': sets(addData),
  'data-urlencode': encoded(addData),
  json,
  header,
  cookie,
  user,
  'user-agent': sets((draft, value) => {
    if (value === '') draft.removed.push('user-agent');
    else draft.implied.push({ name: 'User-Agent', value });
  }),
  referer: sets((draft, value, written) => {
    if (value.endsWith(';auto')) draft.unhonoured.push({ text: written, reason: noRedirects });
    else draft.implied.push({ name: 'Referer', value });
  }),
  'oauth2-bearer': sets((draft, value) => {
    draft.implied.push({ name: 'Authorization', value: `Bearer ${value}` });
  }),
  range: sets((draft, value) => {
    draft.implied.push({ name: 'Range', value: `bytes=${value}` });
  }),
  'max-time': sets((draft, value, written) => {
    // No limit is what curl has unless one is given.
    const isNone = /^0+$/.test(value);
    draft.timeoutSeconds = isNone ? null : wholeWithin(draft, { written, value, ...timeoutBounds });
  }),
  retry: sets((draft, value, written) => {
    draft.retries = wholeWithin(draft, { written, value, ...retryBounds });
  }),
  output: file,
  'dump-header': file,
};

/** How curl's words are read. */
export const curlSyntax: OptionSyntax<CurlDraft> = {
  rules,
  hasEquals: false,
  shorts: {
    a: 'append',
    A: 'user-agent',
    b: 'cookie',
    B: 'use-ascii',
    c: 'cookie-jar',
    C: 'continue-at',
    d: 'data',
    D: 'dump-header',
    e: 'referer',
    E: 'cert',
    f: 'fail',
    F: 'form',
    g: 'globoff',
    G: 'get',
    h: 'help',
    H: 'header',
    i: 'include',
    I: 'head',
    j: 'junk-session-cookies',
    J: 'remote-header-name',
    k: 'insecure',
    K: 'config',
    l: 'list-only',
    L: 'location',
    m: 'max-time',
    M: 'manual',
    n: 'netrc',
    N: 'no-buffer',
    o: 'output',
    O: 'remote-name',
    p: 'proxytunnel',
    P: 'ftp-port',
    q: 'disable',
    Q: 'quote',
    r: 'range',
    R: 'remote-time',
    s: 'silent',
    S: 'show-error',
    t: 'telnet-option',
    T: 'upload-file',
    u: 'user',
    U: 'proxy-user',
    v: 'verbose',
    V: 'version',
    w: 'write-out',
    x: 'proxy',
    X: 'request',
    y: 'speed-time',
    Y: 'speed-limit',
    z: 'time-cond',
    Z: 'parallel',
    '0': 'http1.0',
    '1': 'tlsv1',
    '2': 'sslv2',
    '3': 'sslv3',
    '4': 'ipv4',
    '6': 'ipv6',
    '#': 'progress-bar',
    ':': 'next',
  },
};
