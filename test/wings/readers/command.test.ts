/** Commands that call a URL. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfCall, readCommand, whyUncertain } from '../../../src/wings/readers/command.ts';

test('curl and wget are found by name and by path, and nothing else is', () => {
  assert.equal(readCommand('curl https://example.com').tool, 'curl');
  assert.equal(readCommand('/usr/bin/wget -qO- https://example.com').tool, 'wget');
  for (const text of ['', 'constructor x', 'curly https://example.com', 'sudo curl x']) {
    const { tool, call } = readCommand(text);
    assert.deepEqual([tool, call], [null, null], text);
  }
});

test('what the shell and the tool cannot do is listed together, and there is no call', () => {
  const { call, ignored, unhonoured } = readCommand('curl -s -L $URL 2>/dev/null');
  assert.equal(call, null);
  assert.deepEqual(
    unhonoured.map(({ text }) => text),
    ['$URL', '-L'],
  );
  assert.deepEqual(
    ignored.map(({ text }) => text),
    ['2>/dev/null', '-s'],
  );
});

test('a line with standard input, or for another shell, is not certain', () => {
  assert.equal(whyUncertain({ input: null, settings: new Map([['SHELL', '/bin/bash']]) }), null);
  assert.match(whyUncertain({ input: '', settings: new Map() }) ?? '', /^% begins/);
  assert.match(
    whyUncertain({ input: null, settings: new Map([['SHELL', '/usr/bin/fish']]) }) ?? '',
    /^SHELL names/,
  );
});

test('a job is named by the host and the path of its URL, as far as a name may go', () => {
  assert.equal(nameOfCall('https://example.com/'), 'example.com');
  assert.equal(nameOfCall('https://example.com/a/b?token=secret'), 'example.com/a/b');
  assert.equal(nameOfCall(`https://example.com/${'a'.repeat(200)}`).length, 120);
});
