/** The call that a wget command makes (GNU Wget manual, chapter 2), as far as a job can make it. */
import { optionReader, type CommandSyntax } from './options.ts';
import { reasons } from './remark.ts';
import {
  CallDraft,
  finishCall,
  setRetries,
  setTimeoutSeconds,
  type ReadCall,
} from './written-call.ts';

const { noFiles, readsNoFiles, noRedirects, ownTls, ownRoute, alwaysSent, noEffect, headerForm } =
  reasons;
const onlyPrints = 'it only changes what wget prints';

const syntax: CommandSyntax = {
  hasEquals: true,
  ignored: [
    {
      reason: onlyPrints,
      flags: 'quiet/q no-verbose/nv verbose/v server-response/S background/b show-progress',
      values: 'progress',
    },
    { reason: 'a job keeps nothing between calls', flags: 'no-cookies no-hsts no-cache' },
    { reason: noEffect, flags: 'no-proxy no-config' },
    { reason: noRedirects, values: 'max-redirect' },
    { reason: 'jobd has its own rules for retries', values: 'waitretry' },
  ],
  refused: [
    { reason: ownTls, flags: 'no-check-certificate' },
    { reason: readsNoFiles, values: 'post-file body-file input-file/i load-cookies config' },
    {
      reason: 'jobd writes no files',
      values: 'output-file/o append-output/a directory-prefix/P save-cookies',
    },
    {
      reason: noFiles,
      flags: 'recursive/r mirror/m page-requisites/p continue/c timestamping/N no-clobber/nc',
    },
    { reason: 'give an Authorization header', values: 'user password http-user http-password' },
    { reason: ownRoute, flags: 'inet4-only/4 inet6-only/6' },
  ],
  flags: {
    'delete-after': (draft) => void (draft.keepsFile = false),
    spider: (draft) => {
      draft.isHead = true;
      draft.keepsFile = false;
    },
  },
  values: {
    'output-document/O': (draft, value, written) => {
      if (value === '-' || value === '/dev/null') draft.ignore(written, onlyPrints);
      else draft.refuse(written, noFiles);
      draft.keepsFile = false;
    },
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
    'timeout/T': setTimeoutSeconds,
    'tries/t': (draft, value, written) => {
      const retries = /^\d{1,9}$/.test(value) ? String(Number(value) - 1) : value;
      setRetries(draft, retries, written);
    },
  },
};

const readOptions = optionReader(syntax);

/** Reads the words after `wget`, as a shell made them. Never throws. */
export function readWget(words: readonly string[]): ReadCall {
  const draft = new CallDraft();
  readOptions(words, draft);
  if (draft.keepsFile) draft.refuse('no -O /dev/null', noFiles);
  if (draft.isHead) draft.method ??= 'HEAD';
  draft.addImplied();
  draft.ignore('redirects', 'wget follows them, jobd does not');
  return finishCall(draft);
}
