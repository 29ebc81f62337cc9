/** A job as a curl command. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assert as check, constantFrom, property, string } from 'fast-check';
import { curlCommand } from '../../../src/dashboard/view/curl.ts';
import type { CalledJob } from '../../../src/dashboard/view/curl.ts';
import { readCurl } from '../../../src/domain/shell/curl.ts';
import { readShellCommand } from '../../../src/domain/shell/words.ts';

const job: CalledJob = {
  method: 'GET',
  url: 'https://example.com/a?b=1&c=2',
  headerNames: [],
  body: null,
};

test('the command has what the job sends, and variables for header values', () => {
  assert.equal(curlCommand(job), "curl \\\n  'https://example.com/a?b=1&c=2'");
  const body = `{"it's": "$HOME"}\n`;
  const headerNames = ['Authorization', 'Content-Type', 'Path', "X-O'Neill", '2x'];
  assert.equal(
    curlCommand({ ...job, method: 'PUT', headerNames, body }),
    String.raw`curl -X PUT \
  'https://example.com/a?b=1&c=2' \
  -H 'Authorization: '"$AUTHORIZATION_VALUE" \
  -H 'Content-Type: '"$CONTENT_TYPE_VALUE" \
  -H 'Path: '"$PATH_VALUE" \
  -H 'X-O'\''Neill: '"$X_O_NEILL_VALUE" \
  -H '2x: '"$_2X_VALUE" \
  --data-raw '{"it'\''s": "$HOME"}
'`,
  );
});

test('a body without a type is text, as jobd sends it', () => {
  assert.match(curlCommand({ ...job, method: 'POST', body: '@file' }), /^curl \\\n/);
  assert.match(curlCommand({ ...job, method: 'POST', body: '' }), /text\/plain; charset=utf-8/);
});

test('control characters are escapes', () => {
  const command = curlCommand({ ...job, method: 'POST', body: "it's \u001b[31m\u0003\\" });
  assert.ok(command.endsWith(String.raw`--data-raw $'it\'s \u001b[31m\u0003\\'`), command);
});

test('the command, read again, makes the same call', () => {
  const methods = constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE' as const);
  const text = string({ unit: constantFrom(...Array.from('a\'"\\$`!@%&{}[] \n\r\u0001\u009fé')) });
  check(
    property(methods, text, text, (method, query, content) => {
      const body = method === 'GET' || method === 'HEAD' ? null : content;
      const url = `https://example.com/?q=${query.replaceAll(/[\0-\u0020\u007f-\u009f#]/g, '')}`;
      const { words, unhonoured } = readShellCommand(curlCommand({ ...job, method, url, body }));
      assert.deepEqual(unhonoured, []);
      const { call } = readCurl(words.slice(1));
      assert.deepEqual(call && { method: call.method, url: call.url, body: call.body }, {
        method,
        url,
        body,
      });
    }),
  );
});
