import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { hasHalfPair, madeStorable, showControls } from '../../src/domain/characters.ts';
import { blankControls, blankControlsInLines, oneLine } from '../../src/domain/one-line.ts';

test('control characters and changes of direction become visible, other text stays', () => {
  assert.equal(
    showControls('Night\u200bly \u2060\u202eexe.bat\u0000\u001b[2J'),
    String.raw`Night\u200bly \u2060\u202eexe.bat\u0000\u001b[2J`,
  );
  assert.equal(showControls('a\r\nb'), String.raw`a\u000d\u000ab`);
  assert.equal(showControls('Größe 日本 🎉 "x" \\'), 'Größe 日本 🎉 "x" \\');
});

const answers: [text: string, line: string][] = [
  ['{\n  "error": "maintenance"\n}\n', '{ "error": "maintenance" }'],
  ['first \r\n\t second', 'first second'],
  ['\u001b[1;31mred\u001b[0m \u009b4munder', 'red under'],
  ['\u001b]0;title\u0007shown \u001b]8;;http://a.test\u001b\\link', 'shown link'],
  ['\u001bPdata\u001b\\a \u001b(Bb\u001bMc', 'a bc'],
  ['\u001b]0;never ended\nnext', '0;never ended next'],
  ['a\u202ecod.exe\u2028b', 'a cod.exe b'],
  ['two  blanks', 'two  blanks'],
];

test('text from outside becomes one line, without what only a terminal reads', () => {
  for (const [text, line] of answers) assert.equal(oneLine(text), line);
  assert.equal(blankControls(' a\n'), ' a ', 'other blanks stay');
  assert.equal(blankControlsInLines('\u001b[2J  a\tb\n\u0007c'), '  a\tb\n c');
});

test('a text of a million beginnings is read in one pass', () => {
  for (const part of [
    ' ',
    '\n ',
    '\u001b',
    '\u001b[',
    '\u001b]',
    '\u001b]0;a',
    '\u009d',
    '\u001b[1;',
  ]) {
    assert.match(oneLine(`${part.repeat(1_000_000)}\u0007x`), /x$/);
  }
});

test('half a surrogate pair among the escapes of JSON is found as by reading it', () => {
  const pieces = [
    '\\ud83d',
    '\\ude00',
    '\\uD83D',
    '\\uDE00',
    'ud83d',
    '\\\\',
    '\\"',
    '\\u0000',
    '😀',
    'a',
  ];
  const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 8 });
  const property = fc.property(texts, (text) => {
    const json = `{"${text.join('')}":["${text.join('')}"]}`;
    assert.equal(hasHalfPair(json), !Object.keys(JSON.parse(json) as object)[0]?.isWellFormed());
  });
  fc.assert(property, { numRuns: 5_000 });
});

test('a text that a database cannot keep is kept without those characters', () => {
  assert.equal(madeStorable('a\0b\ud800c😀'), 'a\ufffdb\ufffdc😀');
});
