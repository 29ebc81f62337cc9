/**
 * No text from outside costs more time than its length: a reader whose work grows with the square of it stops the scheduler
 * with a text that fits a request. Each reader gets each hostile text, doubled and doubled again. Those of single values are in
 * test/cost-of-values.test.ts.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseIsoTime } from '../src/domain/clock.ts';
import { nearest } from '../src/domain/nearest.ts';
import { forwardedClient } from '../src/domain/client-address.ts';
import { blankControls, blankControlsInLines } from '../src/domain/one-line.ts';
import { encodedWords } from '../src/domain/alerts/encoded-words.ts';
import { parseMailRules } from '../src/domain/alerts/mail-allow.ts';
import { channelKinds } from '../src/domain/alerts/kinds/registry.ts';
import { parseMailServer } from '../src/domain/alerts/mail-server.ts';
import { askedInBodyMs } from '../src/domain/alerts/refusal.ts';
import { checkHeaders } from '../src/domain/jobs/headers.ts';
import { spanSettings } from '../src/domain/runs/call-span-settings.ts';
import { foreignHint, secondsOf } from '../src/domain/schedule/foreign.ts';
import { parseCron } from '../src/domain/schedule/cron.ts';
import { parsePosixZone } from '../src/domain/schedule/posix-zone.ts';
import { readTzif } from '../src/domain/schedule/tzif.ts';
import { canonicalZone } from '../src/domain/schedule/zone.ts';
import { readCommand } from '../src/wings/readers/command.ts';
import { parseCrontab } from '../src/wings/readers/crontab.ts';
import { longestPasted, readPasted } from '../src/wings/readers/pasted.ts';
import { quoted } from '../src/domain/quote.ts';
import { checkSigningSecret } from '../src/domain/signing-secret.ts';
import { judgeUrl, parseAllowTarget, siteText } from '../src/domain/targets/target.ts';
import { parseEnvironmentFile, parseUnit } from '../src/domain/unit-files.ts';
import { humanLine } from '../src/base/log-line.ts';
import {
  listenHost,
  parseDuration,
  trustedProxies,
  withoutPassword,
} from '../src/settings/setting.ts';
import { readIndex } from '../src/base/zone-files.ts';
import { AnswerReader } from '../src/egress/http/answer.ts';
import { readJson } from '../src/receipt/json.ts';
import { readTrustedKeys } from '../src/receipt/trusted-keys.ts';
import { parseDatabaseUrl } from '../src/store/postgres/connections/url.ts';
import { parseIdCursor } from '../src/app/page.ts';
import { readsGzip } from '../src/api/http/compression.ts';
import { inline, prose } from '../src/api/docs/html.ts';
import { optionWords } from '../src/cli/client/option-words.ts';
import { turnCrontab } from '../src/wings/definitions/client/crontab-jobs.ts';
import { slugOf } from '../src/wings/definitions/client/write.ts';
import { emptyLoad, readDefinitions } from '../src/wings/definitions/client/load.ts';
import { fillIn, literal } from '../src/wings/definitions/client/references.ts';
import { cutTo, cutUrl, plainLines } from '../src/cli/terminal/text.ts';
import { sizeWords, visibleLines } from '../src/dashboard/view/body.ts';
import { fieldError } from '../src/dashboard/view/forms.ts';
import { urlProblem } from '../src/dashboard/view/job-form.ts';
import { pretty } from '../src/dashboard/view/json.ts';
import { steepTexts, type Hostile, type Reader } from './support/cost-of-readers.ts';

const bytesOf = (text: string): Uint8Array => Buffer.from(text);

/** Reads an answer in pieces of so many bytes. */
function readAnswer(text: string, pieceBytes: number): void {
  const reader = new AnswerReader('GET', { onHead: () => {}, onData: () => true });
  for (let at = 0; at < text.length; at += pieceBytes) {
    reader.read(Buffer.from(text.slice(at, at + pieceBytes), 'latin1'));
  }
}
const crontab = { timezone: 'UTC', isZoneGiven: true };
const sources = { variable: () => 'x', file: () => 'x' };
const commands: Record<string, Hostile> = {
  braces: ['curl ', '{'],
  'braces in a word': ['curl a', '{b'],
  'a home in a value': ['curl a=', '~'],
  'homes in a value': ['curl a=', ':~'],
  stars: ['curl ', '* '],
  variables: ['curl ', '$a '],
  'commands in commands': ['curl "', '$('],
  'commands in parentheses': ['curl "', '$(a('],
  backticks: ['curl ', '`'],
  'escaped bytes': ["curl $'", '\\x41'],
  'many quotes': ['curl ', "$'a' "],
  'open quotes': ['curl ', '"$'],
  'line ends': ['curl x', '\n', '#'],
  comments: ['curl x', '\n#'],
  'blank lines before it': ['', '\n', 'curl x'],
  'joined lines': ['curl ', '\\\n'],
  'headers, then a referer each': ['curl http://x.example ', (i) => `-Ha${i}:b -ex `],
  'headers, each taken out': ['curl http://x.example ', (i) => `-Ha${i}:b -Hb${i}: `],
  'headers of wget': ['wget -O- http://x.example ', (i) => `--header=a${i}:b `],
  'URLs with brackets': ['curl ', "'[' "],
  redirections: ['curl x ', '2>/dev/null '],
  numbers: ['curl x ', '1'],
  data: ['curl x ', '-da '],
  'encoded data': ['curl x ', "--data-urlencode 'a=é' "],
  'short options': ['curl -', 's'],
  operands: ['curl -- ', 'a '],
  commands: ['curl x', ';a '],
  calls: ['curl x', ';curl x'],
  'calls that may be the same': ['curl x', '||curl x'],
  groups: ['', '(', 'curl x'],
  'groups of one': ['', '{ '],
  'groups that end': ['(a', ')'],
  'commands that run commands': ['', 'sudo '],
  'options of such a command': ['sudo ', '-u '],
  'shells in shells': ['', "sh -c '", 'curl x'],
  'variables that are set': ['', (i) => `A${i}=a;`, 'curl $A1'],
  'values of variables': ['A=aaaaaaaa;curl ', '"$A"'],
  'quotes of web pages': ['curl ', '“a” '],
  'open quotes of web pages': ['curl ', '‘a“'],
  'parts of a query': ['curl a?', '&b'],
  logs: ['curl x ', (i) => `>>/tmp/a${i} `],
  'dashes of web pages': ['curl x ', '–s '],
};
const crontabs: Record<string, Hostile> = {
  settings: ['', (i) => `a${i}=\n`],
  'a setting for each line': ['', (i) => `SHELL=a${i}\n* * * * * x\n`],
  'a setting and a line that JavaScript ends': ['A=', '\t', '\u2028x'],
  'five fields and such a line': ['* * * * * ', '\t', '\u2028x'],
  comments: ['', '# a\n'],
  percents: ['* * * * * x', '%'],
  'escaped percents': ['* * * * * x', '\\%'],
  commands: ['', '* * * * * x\n'],
  'values that are put in': ['A=aaaaaaaa\n', '* * * * * curl "$A"\n'],
  'a value for each line': ['', (i) => `A=${i}\n* * * * * curl http://a.example/$A\n`],
  'values by chance': ['', '~ * * * * x\n'],
  'users before calls': ['', '* * * * * sudo curl x\n'],
  calls: ['', "* * * * * curl -fsS -o /dev/null -H 'Authorization: a' http://a.example\n"],
  'other calls': ['', (i) => `* * * * * curl -fsS -H 'Authorization: a' http://a.example/${i}\n`],
};
const equalAnchors: Hostile = ['jobs:\n', '  - &a 1\n'];
const yaml: Record<string, Hostile> = {
  'equal anchors': equalAnchors,
  anchors: ['jobs:\n', (i) => `  - &a${i} 1\n`],
  aliases: ['jobs:\n  - &x 1\n', '  - *x\n'],
  'anchors and aliases': ['jobs:\n', '  - &x 1\n  - *x\n'],
  'aliases of nothing': ['jobs:\n', '  - *x\n'],
  lists: ['jobs: ', '['],
  mappings: ['jobs: ', '{'],
  'mappings of JSON': ['', '{"jobs":'],
  keys: ['jobs:\n', (i) => `  k${i}: {}\n`],
  'unknown sections': ['', (i) => `k${i}: 1\n`],
  'equal keys': ['jobs:\n', '  k: {}\n'],
  tags: ['', '!a '],
  'a block': ['a: |\n', '  x\n'],
  escapes: ['a: "', '\\x41', '"'],
  'a text of lines': ['a: x', '\n  y'],
};
const answerHead = 'HTTP/1.1 200 OK\r\n';
const chunked = `${answerHead}transfer-encoding: chunked\r\n\r\n`;
const answers: Record<string, Hostile> = {
  'empty lines': ['', '\r\n'],
  headers: [answerHead, 'a:\r\n', '\r\n'],
  'headers without end': [answerHead, 'a:\n'],
  'lines without a colon': [answerHead, 'a\n', ':\n\n'],
  'folded lines': [`${answerHead}location: a\n`, ' a\n', '\n'],
  'folded lines of nothing': [`${answerHead}location: a\n`, '\t\n', '\n'],
  lengths: [`${answerHead}content-length: 1`, ',1', '\r\n\r\n'],
  'headers with a length': [answerHead, 'content-length: 1\n', '\n'],
  codings: [`${answerHead}transfer-encoding: a`, ', a', '\r\n\r\n'],
  'options of the connection': [`${answerHead}connection: `, ' ,', '\r\n\r\n'],
  'blanks in a charset': [`${answerHead}content-type: a`, '; charset=', '\r\n\r\n'],
  'blanks before a charset': [`${answerHead}content-type: a;`, ' ', '\r\n\r\n'],
  timeouts: [`${answerHead}keep-alive: `, 'timeout=', '\r\n\r\n'],
  'interim responses': ['', 'HTTP/1.1 102 X\r\n\r\n'],
  'a reason': ['HTTP/1.1 200 ', 'a ', '\r\n\r\n'],
  'carriage returns': ['HTTP/1.1 200 ', '\r', '\n\n'],
  chunks: [chunked, '1\r\na\r\n'],
  'a chunk size': [chunked, '0'],
  extensions: [chunked, '1;a\n\r\r\n'],
  trailers: [`${chunked}0\r\n`, 'a:\r\n'],
};

const proxies = trustedProxies(['10.0.0.0/8', 'fd00::/8'], '--trusted-proxy');
const readers: Record<string, Reader> = {
  readPasted: { read: readPasted, longest: longestPasted, texts: { ...commands, ...crontabs } },
  readCommand: { read: readCommand, texts: commands },
  parseCrontab: { read: (text) => parseCrontab(text, { isSystem: true }), texts: crontabs },
  turnCrontab: {
    read: (text) => turnCrontab(text, { ...crontab, isSystem: false }),
    longest: 8_192,
    texts: { ...commands, ...crontabs },
  },
  readDefinitions: {
    read: (text) => readDefinitions(emptyLoad(), { path: 'a', text }, sources),
    longest: 8_192,
    texts: yaml,
  },
  'readDefinitions: anchors': {
    read: (text) => readDefinitions(emptyLoad(), { path: 'a', text }, sources),
    longest: 131_072,
    texts: { 'equal anchors': equalAnchors },
    hasCommon: false,
  },
  AnswerReader: { read: (text) => readAnswer(text, 65_536), longest: 65_536, texts: answers },
  'AnswerReader: in pieces': { read: (text) => readAnswer(text, 1), texts: answers },
  'AnswerReader: a header': {
    read: (text) => readAnswer(`${answerHead}location: ${text}\r\n\r\n`, 65_536),
  },
  'AnswerReader: chunks': { read: (text) => readAnswer(chunked + text, 65_536) },
  readJson: { read: (text) => readJson(bytesOf(text)), longest: 65_536 },
  readTrustedKeys: {
    read: (text) => readTrustedKeys([bytesOf(text)]),
    texts: { begins: ['', '-----BEGIN '], keys: ['', '-----BEGIN A-----\nA\n'] },
  },
  parseCron: { read: parseCron },
  foreignHint: { read: foreignHint },
  secondsOf: { read: secondsOf },
  'a zone': { read: canonicalZone },
  listenHost: { read: (value) => listenHost({ name: '--host', value }) },
  'parsePosixZone: the rule of a zone file': {
    read: parsePosixZone,
    texts: {
      names: ['', 'a'],
      'a name': ['<', 'a'],
      numbers: ['A', '1'],
      dates: ['A1B', ',M3.5.0/1'],
    },
  },
  'a zone file': { read: (text) => readTzif(bytesOf(text)), texts: { headers: ['', 'TZif2'] } },
  'readIndex: of zone files': {
    read: (text) => readIndex(`# version 2026f\n${text}`),
    texts: { links: ['', (i) => `L a b${i}\n`], 'a line': ['L a', ' b'] },
  },
  parseIsoTime: { read: parseIsoTime },
  parseDuration: { read: (text) => parseDuration(text, '--keep') },
  judgeUrl: { read: (text) => judgeUrl(text, []) },
  'judgeUrl: a host': { read: (text) => judgeUrl(`https://${text}`, []) },
  'judgeUrl: a path': { read: (text) => judgeUrl(`https://example.com/${text}`, []) },
  siteText: { read: siteText },
  parseAllowTarget: { read: parseAllowTarget },
  'checkHeaders: a value': { read: (text) => checkHeaders({ a: text }) },
  'checkHeaders: a name': { read: (text) => checkHeaders({ [text]: 'a' }) },
  spanSettings: {
    read: (text) =>
      spanSettings({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://a.example',
        OTEL_EXPORTER_OTLP_HEADERS: text,
        OTEL_RESOURCE_ATTRIBUTES: text,
      }),
  },
  parseMailRules: { read: (text) => parseMailRules([text], 'x') },
  askedInBodyMs: {
    read: (text) => askedInBodyMs(429, text, 3_600_000),
    texts: { 'open lists': ['{"a":', '['], 'long numbers': ['{"retry_after":', '9', '}'] },
  },
  adviceOnTelegram: { read: (text) => channelKinds.telegram.adviceOn?.(text) },
  parseMailServer: {
    read: (text) => parseMailServer({ name: 'x', value: `smtp://${text}` }),
    texts: {
      'blanks in a name': ['h?from=a', '%20', '<a@b>'],
      'names in brackets': ['h?from=', '<', 'a@b>'],
      'a long host for ehlo': ['h?ehlo=', 'a.'],
    },
  },
  encodedWords: { read: encodedWords },
  checkSigningSecret: { read: (text) => checkSigningSecret(text, 'x') },
  nearest: { read: (text) => nearest(text, ['alpha', 'beta']) },
  parseDatabaseUrl: { read: parseDatabaseUrl },
  'parseDatabaseUrl: the rest': { read: (text) => parseDatabaseUrl(`postgres://${text}`) },
  withoutPassword: { read: withoutPassword },
  parseEnvironmentFile: {
    read: parseEnvironmentFile,
    texts: {
      variables: ['', (i) => `A${i}=1\n`],
      quotes: ['A=', '"a"'],
      comments: ['', '#\\\n'],
    },
  },
  parseUnit: {
    read: (text) => parseUnit([text], 'jobd.service'),
    texts: {
      variables: ['[Service]\n', (i) => `Environment=A${i}=1\n`],
      words: ['[Service]\nEnvironment=', 'A=%d/a '],
      quotes: ['[Service]\nEnvironment=', '"a\\'],
      sections: ['', '[Service]\n'],
    },
  },
  parseIdCursor: { read: (text) => parseIdCursor('x', text) },
  readsGzip: { read: readsGzip },
  forwardedClient: {
    read: (text) => forwardedClient(text, proxies),
    longest: 16_384,
    texts: {
      'proxies that are trusted': ['', '10.0.0.1,'],
      'networks that are trusted': ['', 'fd00::1, ', 'fd00::1'],
      commas: ['', ',', '10.0.0.1'],
      colons: ['', ':', '::'],
    },
  },
  blankControls: {
    read: blankControls,
    texts: { titles: ['', '\u001b]'], colours: ['', '\u001b['] },
  },
  blankControlsInLines: { read: blankControlsInLines, texts: { titles: ['', '\u001b]a'] } },
  plainLines: { read: plainLines },
  cutTo: { read: (text) => cutTo(text, 20) },
  cutUrl: { read: (text) => cutUrl(text, 20) },
  quoted: { read: quoted },
  humanLine: {
    read: (text) =>
      humanLine(JSON.stringify({ level: 30, time: 1, msg: 'run ended', error: text, a: text }), {
        hasColour: false,
        hasDate: false,
      }),
  },
  slugOf: { read: (text) => slugOf(text, 'x') },
  fillIn: { read: (text) => fillIn(text, sources) },
  literal: { read: literal },
  inline: { read: inline },
  prose: { read: prose },
  optionWords: { read: optionWords },
  pretty: {
    read: pretty,
    texts: {
      'objects in objects': ['', '{"":'],
      'strings in lists': ['', '["'],
      'numbers in lists': ['', '[1e'],
      'escaped quotes': ['', '"\\'],
    },
  },
  visibleLines: { read: visibleLines },
  sizeWords: { read: sizeWords },
  fieldError: { read: (text) => fieldError(text) },
  urlProblem: { read: urlProblem },
};

for (const [name, reader] of Object.entries(readers)) {
  test(`what ${name} costs does not grow faster than its text`, () => {
    assert.deepEqual(steepTexts(reader), []);
  });
}
