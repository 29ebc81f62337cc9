/** The call that a wget command makes (GNU Wget manual, chapter 2), as far as a job can make it. */
import { optionReader, type CommandSyntax } from './options.ts';
import { reasons } from './remark.ts';
import {
  CallDraft,
  finishCall,
  judgeOutput,
  setRetries,
  setTimeoutSeconds,
  type ReadCall,
} from './written-call.ts';

const { noFiles, readsNoFiles, noRedirects, ownTls, ownRoute, alwaysSent, noEffect, headerForm } =
  reasons;
const onlyPrints = 'it only changes what wget prints';
const wholeTimeout = "a job's timeout covers the whole call";
const ownRetries = 'jobd has its own rules for retries';

const syntax: CommandSyntax = {
  hasEquals: true,
  ignored: [
    {
      reason: onlyPrints,
      flags:
        'quiet/q no-verbose/nv verbose/v debug/d server-response/S background/b show-progress content-on-error',
      values: 'progress report-speed output-file/o append-output/a',
    },
    {
      reason: 'a job keeps nothing between calls',
      flags: 'no-cookies no-hsts no-cache no-dns-cache keep-session-cookies',
    },
    {
      reason: noEffect,
      flags:
        'no-proxy no-config no-http-keep-alive auth-no-challenge no-iri unlink no-glob no-directories/nd force-directories/x no-host-directories/nH content-disposition trust-server-names xattr no-use-server-timestamps no-parent/np',
      values: 'compression level/l cut-dirs default-page local-encoding remote-encoding',
    },
    { reason: noRedirects, values: 'max-redirect' },
    {
      reason: ownRetries,
      flags: 'retry-connrefused retry-on-host-error',
      values: 'waitretry wait/w retry-on-http-error',
    },
    { reason: ownRetries, flags: 'random-wait' },
    { reason: wholeTimeout, values: 'dns-timeout connect-timeout' },
  ],
  adapted: [
    { reason: reasons.verifies, flags: 'no-check-certificate' },
    { reason: reasons.bothFamilies, flags: 'inet4-only/4 inet6-only/6' },
    { reason: reasons.bothFamilies, values: 'prefer-family' },
    { reason: 'jobd has its own limits', values: 'limit-rate quota/Q' },
    { reason: 'jobd speaks TLS 1.2 and 1.3', values: 'secure-protocol' },
    { reason: reasons.ownRecord, values: 'directory-prefix/P' },
  ],
  refused: [
    {
      reason: ownTls,
      values: 'ca-certificate ca-directory certificate certificate-type private-key pinnedpubkey',
    },
    {
      reason: readsNoFiles,
      values: 'post-file body-file input-file/i load-cookies config use-askpass',
    },
    { reason: 'jobd writes no files', values: 'save-cookies warc-file' },
    {
      reason: noFiles,
      flags:
        'recursive/r mirror/m page-requisites/p continue/c timestamping/N no-clobber/nc convert-links/k adjust-extension/E span-hosts/H',
      values: 'accept/A reject/R domains/D',
    },
    { reason: ownRoute, values: 'bind-address dns-servers execute/e' },
    { reason: 'give the password, too', flags: 'ask-password' },
    { reason: 'it makes no call', flags: 'help/h version/V' },
  ],
  flags: {
    'delete-after': (draft) => void (draft.keepsFile = false),
    'https-only': () => undefined,
    spider: (draft) => {
      draft.isHead = true;
      draft.keepsFile = false;
    },
  },
  values: {
    'output-document/O': (draft, value, written) => {
      judgeOutput(draft, value, written, onlyPrints);
      draft.keepsFile = false;
    },
    'user http-user': (draft, value) => void (draft.user = value),
    'password http-password': (draft, value) => void (draft.password = value),
    method: (draft, value) => void (draft.method = value.toUpperCase()),
    'post-data': (draft, value) => {
      draft.method = 'POST';
      draft.body = value;
    },
    'body-data': (draft, value) => void (draft.body = value),
    header: (draft, value, written) => {
      const [, name, rest = ''] = /^([^:]+):([\s\S]*)$/.exec(value) ?? [];
      if (name === undefined || rest.trim() === '') return draft.refuse(written, headerForm);
      // The last of each name counts.
      draft.dropHeader(name);
      draft.addHeader(name, rest.trim());
    },
    'user-agent/U': (draft, value, written) => {
      if (value === '') draft.refuse(written, alwaysSent);
      else draft.implied.push({ name: 'User-Agent', value });
    },
    referer: (draft, value) => draft.implied.push({ name: 'Referer', value }),
    'timeout/T read-timeout': setTimeoutSeconds,
    'tries/t': (draft, value, written) => {
      // 0 is without end.
      const tries = /^(?:0+|inf)$/.test(value) ? 999 : Number(value);
      if (!/^\d{1,9}$|^inf$/.test(value)) return draft.refuse(written, 'it takes a whole number');
      if (tries > 3) draft.adapt(`${written} ${value}`, 'lowered to 2 retries, the most of a job');
      setRetries(draft, String(Math.min(tries - 1, 2)), written);
    },
  },
};

const readOptions = optionReader(syntax);

/** Reads the words after `wget`, as a shell made them. Never throws. */
export function readWget(words: readonly string[]): ReadCall {
  const draft = new CallDraft();
  draft.keepsFile = true;
  readOptions(words, draft);
  if (draft.keepsFile) draft.adapt('no -O /dev/null', noFiles);
  if (draft.user !== null || draft.password !== null) addCredentials(draft);
  if (draft.isHead) draft.method ??= 'HEAD';
  draft.addImplied();
  draft.adapt('redirects', reasons.ifRedirected);
  return finishCall(draft);
}

/** wget waits until the target asks for them; a job sends them at once. */
function addCredentials(draft: CallDraft): void {
  const { user, password } = draft;
  if (user === null || password === null) {
    const [there, missing] = user === null ? ['--password', 'user'] : ['--user', 'password'];
    draft.refuse(there, `give the ${missing}, too`);
  } else draft.credentials = `${user}:${password}`;
}
