/** The rest of test/cost.test.ts: readers of single values; and that none is missing. */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseBackupName } from '../src/domain/backups.ts';
import { readTime } from '../src/domain/fields.ts';
import { readSelector } from '../src/domain/labels.ts';
import { readRunStatuses } from '../src/domain/runs/run.ts';
import { parseLocal, readMoment } from '../src/domain/schedule/local-moments.ts';
import { parseSize } from '../src/domain/sizes.ts';
import { parseAddress, parseBlock } from '../src/domain/targets/address.ts';
import { parseNumberCursor, parsePlaceCursor, parseRunCursor } from '../src/app/page.ts';
import { readHead } from '../src/egress/http/head.ts';
import { parseMasterKey } from '../src/secrets/master-key.ts';
import { parseChoice, parseWholeNumber } from '../src/settings/setting.ts';
import { eventOf } from '../src/cli/client/listen.ts';
import { parseSeconds } from '../src/cli/options.ts';
import { parsePreferences } from '../src/dashboard/view/preferences.ts';
import { readSeen } from '../src/dashboard/view/receipt.ts';
import { parseIdentities } from '../src/wings/backups/age.ts';
import { readAskedTime } from '../src/wings/explain/asked-time.ts';
import { readAnsiCQuotes } from '../src/wings/readers/ansi-c-quotes.ts';
import { readTimes } from '../src/wings/readers/times.ts';
import { readMonth } from '../src/wings/report/month.ts';
import { steepTexts, type Reader } from './support/cost-of-readers.ts';

const cursorOf = (position: string): string => Buffer.from(`x ${position}`).toString('base64url');
const isPlace = (parts: readonly unknown[]): parts is [] => parts.length === 0;
const times: Reader['texts'] = {
  'blanks before a time': ['', ' ', '22:00'],
  digits: ['2026-11-24 22:00:00.', '0'],
};

const readers: Record<string, Reader> = {
  readSelector: {
    read: (text) => readSelector(text),
    texts: { terms: ['', 'a=b,'], values: ['a=', 'b='], negations: ['', '!'], keys: ['a', '.a'] },
  },
  parseLocal: { read: parseLocal, texts: times },
  readMoment: { read: (text) => readMoment('at', text, 'UTC', 0), texts: times },
  readAskedTime: {
    read: (text) => readAskedTime('at', text, { zone: 'UTC', now: 0 }),
    texts: times,
  },
  readTime: { read: (text) => readTime('at', text), texts: times },
  readTimes: {
    read: (text) => readTimes(text, text),
    texts: {
      chances: ['', '~ '],
      lists: ['', '0~9,'],
      dashes: ['', '\u2013'],
      every: ['@every ', '1m'],
    },
  },
  readMonth: { read: (text) => readMonth(text, 'UTC', 0) },
  readRunStatuses: { read: (text) => readRunStatuses(text), texts: { states: ['', 'failed,'] } },
  readAnsiCQuotes: {
    read: (text) => readAnsiCQuotes(text, 0),
    texts: {
      bytes: ['', '\\xc3', "'"],
      letters: ['', '\\n', "'"],
      'code points': ['', '\\u41', "'"],
    },
  },
  parseNumberCursor: { read: (text) => parseNumberCursor('x', text) },
  'parseNumberCursor: a position': { read: (text) => parseNumberCursor('x', cursorOf(text)) },
  parseRunCursor: { read: (text) => parseRunCursor('x', text) },
  'parseRunCursor: a position': { read: (text) => parseRunCursor('x', cursorOf(text)) },
  parsePlaceCursor: { read: (text) => parsePlaceCursor('x', text, isPlace) },
  'parsePlaceCursor: a position': {
    read: (text) => parsePlaceCursor('x', cursorOf(text), isPlace),
    texts: { 'open lists': ['', '['], texts: ['[', '"a",', '1]'] },
  },
  eventOf: {
    read: eventOf,
    texts: {
      data: ['event: hello\ndata: ', '['],
      runs: ['event: changed\ndata: {"runs":[', '"a",', '1]}'],
      names: ['event: ', 'event: '],
      lines: ['', 'event: a\ndata: b\n'],
    },
  },
  readHead: {
    read: (text) => readHead(text, 200, false),
    texts: { headers: ['HTTP/1.1 200 OK\r\n', 'a:\r\n'] },
  },
  parseAddress: { read: parseAddress, texts: { groups: ['', '1:'], numbers: ['', '1.'] } },
  parseBlock: { read: parseBlock, texts: { slashes: ['::', '/1'], groups: ['', '1:', '/1'] } },
  parseSize: { read: parseSize },
  parseSeconds: { read: (text) => parseSeconds(text, '--every') },
  parseWholeNumber: { read: (text) => parseWholeNumber(text, '--port', { min: 0, max: 9 }) },
  parseChoice: { read: (text) => parseChoice(text, '--order', ['name', 'due']) },
  parseMasterKey: { read: (text) => parseMasterKey(text, 'the key') },
  parseBackupName: { read: parseBackupName },
  parseIdentities: {
    read: (text) => parseIdentities(text, 'a'),
    texts: { identities: ['', 'AGE-SECRET-KEY-1\n'], 'a long one': ['AGE-SECRET-KEY-1', 'Q'] },
  },
  readSeen: { read: readSeen, texts: { keys: ['[', '{"seenAt":"2026-11-24"},', '{}]'] } },
  parsePreferences: { read: parsePreferences },
};

for (const [name, reader] of Object.entries(readers)) {
  test(`what ${name} costs does not grow faster than its text`, () => {
    assert.deepEqual(steepTexts(reader), []);
  });
}

/** Readers without a row: what has one reads the same text by them, or the text is no user's. */
const others: Readonly<Record<string, string>> = {
  parseFile: 'readDefinitions',
  parseMoment: 'readMoment',
  parsePeriod: 'parseDuration',
  readShell: 'readCommand',
  readWritten: 'readPasted',
  readBackupRecord: 'a file of jobd',
  readKeyFile: 'a file of jobd',
  readNote: 'a file of jobd',
  readPageFile: 'a file of jobd',
  readPid: 'a file of jobd',
  readProfiles: "a file of the person's own",
  readRootsFile: "a file of root's",
  readText: 'a file, whose text readDefinitions gets',
};

test('each exported reader of a text has a row', () => {
  const reader =
    /^export (?:async )?function ((?:read|parse)[A-Z]\w*)(?:<[^(]*>)?\(\s*\w+: string\b/gm;
  const exported = globSync('src/**/*.{ts,tsx}').flatMap((file) =>
    Array.from(readFileSync(file, 'utf8').matchAll(reader), ([, name = '']) => name),
  );
  const rows = ['test/cost.test.ts', 'test/cost-of-values.test.ts'].flatMap((file) =>
    Array.from(
      readFileSync(file, 'utf8').matchAll(/^ {2}'?(\w+)(?:: [^']*'|'?): \{/gm),
      ([, name]) => name,
    ),
  );
  assert.ok(exported.length > 40, `${exported.length} were found`);
  const known = new Set([...rows, ...Object.keys(others)]);
  assert.deepEqual(
    exported.filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    Object.keys(others).filter((name) => !exported.includes(name)),
    [],
  );
});
