/** The call that a wget command makes (GNU Wget manual, chapter 2), as far as a job can make it. */

import { applyOptions } from './command-options.ts';
import type { OptionRule, OptionSyntax } from './command-options.ts';
import {
  alwaysSent,
  changesNothing,
  followsNothing,
  headerForm,
  noFiles,
  ownTls,
  ownWay,
  readsNoFiles,
} from './reasons.ts';
import {
  defaultHeader,
  emptyDraft,
  finishCall,
  ignoring,
  refusing,
  retryBounds,
  timeoutBounds,
  wholeWithin,
} from './written-call.ts';
import type { CallDraft, ReadCall } from './written-call.ts';

interface WgetDraft extends CallDraft {
  /** `--spider`: HEAD, and no file. */
  isSpider: boolean;
  /** Whether the answer is kept in a file, which it is unless that is said otherwise. */
  keepsFile: boolean;
  /** By one header each: those that have an option of their own. */
  implied: { name: string; value: string }[];
}

type Rule = OptionRule<WgetDraft>;

const sets = (apply: Rule['apply']): Rule => ({ takesValue: true, apply });
const turns = (apply: (draft: WgetDraft) => void): Rule => ({ takesValue: false, apply });

const onlyPrints = 'it changes what wget prints, and nothing that is sent';

const rules: Record<string, Rule> = {
  ...ignoring('quiet no-verbose verbose server-response background', false, onlyPrints),
  ...ignoring('show-progress', false, onlyPrints),
  ...ignoring('progress', true, onlyPrints),
  ...ignoring('no-cookies no-hsts no-cache', false, 'a job keeps nothing from call to call'),
  ...ignoring('no-proxy no-config', false, changesNothing),
  ...ignoring('max-redirect', true, followsNothing),
  ...ignoring('waitretry', true, 'jobd has its own rule for when it tries again'),
  ...refusing('no-check-certificate', false, ownTls),
  ...refusing('post-file body-file input-file load-cookies config', true, readsNoFiles),
  ...refusing(
    'output-file append-output directory-prefix save-cookies',
    true,
    'jobd writes no files',
  ),
  ...refusing('recursive mirror page-requisites continue timestamping', false, noFiles),
  ...refusing('no-clobber', false, noFiles),
  ...refusing('user password http-user http-password', true, 'give an Authorization header'),
  ...refusing('inet4-only inet6-only', false, ownWay),
  'output-document': sets((draft, value, text) => {
    const isNowhere = value === '-' || value === '/dev/null';
    if (isNowhere) draft.ignored.push({ text, reason: onlyPrints });
    else draft.unhonoured.push({ text, reason: noFiles });
    draft.keepsFile = false;
  }),
  'delete-after': turns((draft) => {
    draft.keepsFile = false;
  }),
  spider: turns((draft) => {
    draft.isSpider = true;
    draft.keepsFile = false;
  }),
  method: sets((draft, value) => {
    draft.method = value.toUpperCase();
  }),
  'post-data': sets((draft, value) => {
    draft.method = 'POST';
    draft.body = value;
  }),
  'body-data': sets((draft, value) => {
    draft.body = value;
  }),
  header: sets((draft, value, written) => {
    const [, name, rest = ''] = /^([^:]+):([\s\S]*)$/.exec(value) ?? [];
    if (name === undefined || rest.trim() === '') {
      draft.unhonoured.push({ text: written, reason: headerForm });
      return;
    }
    // The last of each name counts.
    const others = draft.headers.filter((it) => it.name.toLowerCase() !== name.toLowerCase());
    draft.headers = [...others, { name, value: rest.trim() }];
  }),
  'user-agent': sets((draft, value, written) => {
    if (value === '') draft.unhonoured.push({ text: written, reason: alwaysSent });
    else draft.implied.push({ name: 'User-Agent', value });
  }),
  referer: sets((draft, value) => {
    draft.implied.push({ name: 'Referer', value });
  }),
  timeout: sets((draft, value, written) => {
    draft.timeoutSeconds = wholeWithin(draft, { written, value, ...timeoutBounds });
  }),
  tries: sets((draft, value, written) => {
    const further = /^\d{1,9}$/.test(value) ? String(Number(value) - 1) : value;
    draft.retries = wholeWithin(draft, { written, value: further, ...retryBounds });
  }),
};

const syntax: OptionSyntax<WgetDraft> = {
  rules,
  hasEquals: true,
  shorts: {
    q: 'quiet',
    nv: 'no-verbose',
    v: 'verbose',
    S: 'server-response',
    b: 'background',
    O: 'output-document',
    o: 'output-file',
    a: 'append-output',
    P: 'directory-prefix',
    T: 'timeout',
    t: 'tries',
    U: 'user-agent',
    r: 'recursive',
    m: 'mirror',
    p: 'page-requisites',
    c: 'continue',
    N: 'timestamping',
    nc: 'no-clobber',
    i: 'input-file',
    '4': 'inet4-only',
    '6': 'inet6-only',
  },
};

/** Reads the words behind `wget`, as a shell made them. Never throws. */
export function readWget(words: readonly string[]): ReadCall {
  const draft: WgetDraft = { ...emptyDraft(), isSpider: false, keepsFile: true, implied: [] };
  const { operands, unknown } = applyOptions(words, syntax, draft);
  draft.unhonoured.push(...unknown);
  draft.urls.push(...operands);
  if (draft.keepsFile) draft.unhonoured.push({ text: 'no -O /dev/null', reason: noFiles });
  if (draft.isSpider) draft.method ??= 'HEAD';
  for (const { name, value } of draft.implied.toReversed()) defaultHeader(draft, name, value);
  if (draft.body !== null) {
    defaultHeader(draft, 'Content-Type', 'application/x-www-form-urlencoded');
  }
  draft.ignored.push({ text: 'redirects', reason: 'wget follows them, jobd does not' });
  return finishCall(draft);
}
