/** The options of curl (curl.se/docs/manpage.html) and their meaning for a job. */
import type { Apply, CommandSyntax } from './options.ts';
import { reasons } from './remark.ts';
import { judgeOutput, setRetries, setTimeoutSeconds, type CallDraft } from './written-call.ts';

const {
  noFiles,
  readsNoFiles,
  noRedirects,
  ownTls,
  ownRoute,
  noEffect,
  headerForm,
  verifies,
  bothFamilies,
} = reasons;
const onlyPrints = 'it only changes what curl prints';
const oneHttp = 'jobd speaks HTTP/1.1';
const finalUrl = `${noRedirects}: give the final URL`;
const ownLimits = 'jobd has its own limits';
const onlyBasic = 'a job can send Basic authentication or an Authorization header';
const ownRetries = 'jobd has its own rules for retries';
const twoTls = 'jobd speaks TLS 1.2 and 1.3';
const noPartOfCall = 'it is not for HTTP';

/** For a value that is text, and not `@` with the name of a file. */
function unlessFile(apply: Apply): Apply {
  return (draft, value, written) => {
    if (value.startsWith('@')) draft.refuse(written, readsNoFiles);
    else apply(draft, value, written);
  };
}

/** For a value that is encoded: `content`, `=content` or `name=content`. */
function encoded(add: (draft: CallDraft, pair: string) => void): Apply {
  return (draft, value, written) => {
    const equals = value.indexOf('=');
    // `@` before any `=` begins the name of a file.
    if (equals === -1 && value.includes('@')) return draft.refuse(written, readsNoFiles);
    const name = value.slice(0, Math.max(equals, 0));
    const content = encodeURIComponent(value.slice(equals + 1).toWellFormed())
      .replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
      .replaceAll('%20', '+');
    add(draft, name === '' ? content : `${name}=${content}`);
  };
}

/** A header that `-H` of the same name overrides. */
function implies(name: string, valueOf = (value: string): string => value): Apply {
  return (draft, value) => draft.implied.push({ name, value: valueOf(value) });
}

/** Several `-d` are joined by `&`. */
function addData(draft: CallDraft, value: string): void {
  draft.body = draft.body === null ? value : `${draft.body}&${value}`;
}

const addQuery = encoded((draft, pair) => draft.query.push(pair));

/** `Name: value`, `Name;` for an empty one, `Name:` for a header that is not to be sent. */
const header = unlessFile((draft, value, written) => {
  const [, name = '', mark, rest = ''] = /^([^:;]*)([:;])([\s\S]*)$/.exec(value) ?? [];
  const isEmpty = rest.trim() === '';
  if (mark === undefined || name.trim() === '' || (mark === ';' && !isEmpty)) {
    draft.refuse(written, headerForm);
  } else if (mark === ':' && isEmpty) draft.removed.add(name.trim().toLowerCase());
  else draft.addHeader(name.trim(), rest.trim());
});

/** Reads the value of an option that names a file for output. */
const outputFile: Apply = (draft, value, written) => judgeOutput(draft, value, written, onlyPrints);

/** How the words of curl are read. */
export const curlSyntax: CommandSyntax = {
  hasEquals: false,
  refused: [
    {
      reason: ownRoute,
      values:
        'abstract-unix-socket alt-svc connect-to dns-interface dns-ipv4-addr dns-ipv6-addr dns-servers doh-url haproxy-clientip hsts interface local-port noproxy preproxy proxy/x proxy1.0 proxy-cacert proxy-capath proxy-cert proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype proxy-tlspassword proxy-tlsuser proxy-user/U request-target resolve socks4 socks4a socks5 socks5-gssapi-service socks5-hostname unix-socket',
      flags:
        'haproxy-protocol path-as-is proxytunnel/p proxy-anyauth proxy-basic proxy-digest proxy-insecure proxy-negotiate proxy-ntlm tcp-fastopen',
    },
    {
      reason: ownTls,
      values:
        'cacert capath cert/E cert-type ciphers crlfile curves engine key key-type pass pinnedpubkey tls-max tls13-ciphers tlsauthtype tlspassword tlsuser sigalgs ech',
      flags: 'cert-status ssl-auto-client-cert sslv2/2 sslv3/3',
    },
    {
      reason: onlyBasic,
      flags: 'anyauth digest negotiate ntlm ntlm-wb netrc/n netrc-optional',
      values: 'netrc-file aws-sigv4 login-options delegation service-name',
    },
    {
      reason: 'jobd sends no multipart forms: give the body as text',
      values: 'form/F form-string',
    },
    { reason: readsNoFiles, values: 'config/K upload-file/T etag-compare etag-save variable' },
    {
      reason: noFiles,
      values: 'output-dir libcurl',
      flags: 'remote-name-all',
    },
    { reason: 'a job makes one call', flags: 'next/: parallel/Z parallel-immediate' },
    { reason: 'a job sends the same request each time', values: 'time-cond/z continue-at/C' },
    { reason: 'jobd does not support it', flags: 'tr-encoding ignore-content-length crlf' },
    {
      reason: noPartOfCall,
      flags: 'append/a list-only/l use-ascii/B ssl ssl-reqd',
      values:
        'ftp-account ftp-alternative-to-user ftp-ssl-ccc-mode hostpubmd5 hostpubsha256 krb mail-rcpt-allowfails pubkey quote/Q ftp-port/P ftp-method mail-from mail-rcpt mail-auth telnet-option/t tftp-blksize',
    },
    { reason: 'it makes no call', flags: 'help/h manual/M version/V' },
    { reason: onlyBasic, values: 'sasl-authzid', flags: 'sasl-ir' },
    { reason: ownRoute, flags: 'doh-cert-status doh-insecure socks5-basic socks5-gssapi' },
  ],
  adapted: [
    { reason: reasons.ifRedirected, flags: 'location/L location-trusted follow' },
    { reason: verifies, flags: 'insecure/k' },
    { reason: bothFamilies, flags: 'ipv4/4 ipv6/6' },
    { reason: oneHttp, flags: 'http1.0/0 http0.9 http2-prior-knowledge http3 http3-only' },
    { reason: twoTls, flags: 'tlsv1.3' },
    { reason: ownLimits, values: 'limit-rate rate speed-limit/Y speed-time/y max-filesize' },
  ],
  ignored: [
    {
      reason: onlyPrints,
      flags:
        'silent/s show-error/S verbose/v include/i progress-bar/# no-progress-meter no-buffer/N styled-output no-styled-output remote-header-name/J remote-time/R create-dirs trace-time trace-ids xattr raw suppress-connect-headers remove-on-error no-clobber skip-existing no-progress',
      values: 'write-out/w stderr trace trace-ascii trace-config create-file-mode',
    },
    {
      reason: 'a status other than 2xx fails the run anyway',
      flags: 'fail/f fail-with-body fail-early',
    },
    { reason: oneHttp, flags: 'http1.1 http2' },
    {
      reason: ownRetries,
      flags: 'retry-all-errors retry-connrefused',
      values: 'retry-delay retry-max-time',
    },
    {
      reason: "a job's timeout covers the whole call",
      values: 'happy-eyeballs-timeout-ms connect-timeout keepalive-time expect100-timeout',
    },
    {
      reason: noRedirects,
      flags: 'no-location post301 post302 post303',
      values: 'max-redirs proto-redir',
    },
    { reason: 'jobd calls http and https', values: 'proto' },
    { reason: 'a job sends Basic authentication', flags: 'basic' },
    { reason: twoTls, flags: 'tlsv1/1 tlsv1.0 tlsv1.1 tlsv1.2' },
    {
      reason: noEffect,
      flags:
        'disable/q tcp-nodelay no-keepalive keepalive no-sessionid no-alpn no-npn junk-session-cookies/j disallow-username-in-url ssl-allow-beast ssl-no-revoke ssl-revoke-best-effort false-start compressed-ssh form-escape metalink disable-eprt disable-epsv',
      values: 'keepalive-cnt ip-tos vlan-priority random-file egd-file parallel-max',
    },
  ],
  flags: {
    'head/I': (draft) => void (draft.isHead = true),
    'get/G': (draft) => void (draft.isQuery = true),
    'globoff/g': (draft) => void (draft.isLiteral = true),
    'remote-name/O': (draft) => void (draft.keepsFile = true),
    compressed: (draft) => void (draft.isCompressed = true),
  },
  values: {
    'request/X': (draft, value) => void (draft.method = value),
    url: (draft, value) => draft.urls.push(value),
    'url-query': (draft, value, written) => {
      if (value.startsWith('+')) draft.query.push(value.slice(1));
      else addQuery(draft, value, written);
    },
    'data/d data-ascii data-binary': unlessFile(addData),
    'data-raw': addData,
    'data-urlencode': encoded(addData),
    json: unlessFile((draft, value) => {
      draft.isJson = true;
      draft.body = (draft.body ?? '') + value;
    }),
    'header/H': header,
    'cookie/b': (draft, value, written) => {
      if (value.includes('=')) draft.cookies.push(value);
      else draft.refuse(written, readsNoFiles);
    },
    'user/u': (draft, value, written) => {
      if (value.includes(':')) draft.credentials = value;
      else draft.refuse(written, 'give the password, too');
    },
    'user-agent/A': (draft, value) => {
      if (value === '') draft.removed.add('user-agent');
      else draft.implied.push({ name: 'User-Agent', value });
    },
    'referer/e': (draft, value, written) => {
      if (value.endsWith(';auto')) draft.refuse(written, finalUrl);
      else draft.implied.push({ name: 'Referer', value });
    },
    'oauth2-bearer': implies('Authorization', (value) => `Bearer ${value}`),
    'range/r': implies('Range', (value) => `bytes=${value}`),
    'max-time/m': setTimeoutSeconds,
    retry: setRetries,
    'output/o dump-header/D cookie-jar/c': outputFile,
    'proto-default': (draft, value, written) => {
      if (/^https?$/.test(value)) draft.scheme = value;
      else draft.refuse(written, 'jobd calls http and https');
    },
  },
};
