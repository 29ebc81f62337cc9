import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { assert as check, constantFrom, property, string } from '../../support/fast-check.ts';
import { curlCommand, type CalledJob } from '../../../src/dashboard/view/curl.ts';
import { readCurl } from '../../../src/wings/readers/curl.ts';
import { readShell } from '../../../src/wings/readers/words.ts';

const job: CalledJob = {
  method: 'GET',
  url: 'https://example.com/a?b=1&c=2',
  headerNames: [],
  body: null,
};

const isThere = (shell: string): boolean =>
  spawnSync('sh', ['-c', `command -v ${shell}`]).status === 0;

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
  -H 'X-O'"'"'Neill: '"$X_O_NEILL_VALUE" \
  -H '2x: '"$_2X_VALUE" \
  --data-raw '{"it'"'"'s": "$HOME"}
'`,
  );
});

test('a body without a type is text, as jobd sends it', () => {
  assert.match(curlCommand({ ...job, method: 'POST', body: '@file' }), /^curl \\\n/);
  assert.match(curlCommand({ ...job, method: 'POST', body: '' }), /text\/plain; charset=utf-8/);
});

test('what a terminal would obey, or nobody sees, is written as octal bytes', () => {
  const command = curlCommand({ ...job, method: 'POST', body: 'a\u001b[31m\u202e\u009f' });
  const body = String.raw`--data-raw 'a'"$(printf '\033')"'[31m'"$(printf '\342\200\256\302\237')"''`;
  assert.ok(command.endsWith(body), command);
});

test('every shell reads the words as they are, and runs nothing', () => {
  const bodies = [
    `\u0001';touch hacked; #`,
    String.raw`\';touch hacked; #`,
    '$(touch hacked)`touch hacked`${IFS}!! "quoted" \u202e\n\ttab\u0007\u009f\\',
    `it's ''' "" \\\\ \r\n end`,
  ];
  for (const shell of ['sh', 'bash', 'dash', 'zsh', 'fish'].filter(isThere)) {
    for (const body of bodies) {
      const words = curlCommand({ ...job, method: 'POST', headerNames: ['Content-Type'], body });
      const command = words.replace(/^curl/, String.raw`printf '%s\0'`);
      const { stdout } = spawnSync(shell, ['-c', command]);
      assert.equal(stdout.toString().split('\0').at(-2), body, `${shell}: ${command}`);
    }
  }
});

test('the command, read again, makes the same call', () => {
  const methods = constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE' as const);
  const text = string({ unit: constantFrom(...Array.from('a\'"\\$`!@%&{}[] \né')) });
  check(
    property(methods, text, text, (method, query, content) => {
      const body = method === 'GET' || method === 'HEAD' ? null : content;
      const url = `https://example.com/?q=${query.replaceAll(/[\0-\u0020\u007f-\u009f#]/g, '')}`;
      const [command = assert.fail(), ...more] = readShell(
        curlCommand({ ...job, method, url, body }),
      );
      const { words, unhonoured } = command;
      assert.deepEqual([unhonoured, more], [[], []]);
      const { call } = readCurl(words.slice(1));
      assert.deepEqual(call && { method: call.method, url: call.url, body: call.body }, {
        method,
        url,
        body,
      });
    }),
  );
});
