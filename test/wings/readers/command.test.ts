import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  nameOfCall,
  pipeNote,
  readCommand,
  whyUncertain,
} from '../../../src/wings/readers/command.ts';
import { each } from '../../support/each.ts';

test('curl and wget are found by name and by path, and nothing else is', () => {
  assert.equal(readCommand('curl https://example.com').tool, 'curl');
  assert.equal(readCommand('/usr/bin/wget -qO- https://example.com').tool, 'wget');
  assert.equal(readCommand('curl.exe https://example.com').tool, 'curl');
  for (const text of ['', 'constructor x', 'curly https://example.com', 'echo curl x']) {
    const { tool, call } = readCommand(text);
    assert.deepEqual([tool, call], [null, null], text);
  }
});

test('what the shell and the tool cannot do is listed together, and there is no call', () => {
  const { call, ignored, unhonoured } = readCommand('curl -s -F a=b $URL 2>/dev/null');
  assert.equal(call, null);
  assert.deepEqual(each(unhonoured, 'text'), ['$URL', '-F']);
  assert.deepEqual(each(ignored, 'text'), ['2>/dev/null', '-s']);
});

const url = 'https://example.com/a';

test('commands that only run another one are looked through', () => {
  for (const text of [
    `sudo -u www-data curl ${url}`,
    `sudo -H -E PATH=/bin curl ${url}`,
    `flock -n /tmp/a.lock curl ${url}`,
    `/usr/bin/flock -xn -w 10 /tmp/a.lock -c 'curl ${url}'`,
    `nice -n 19 ionice -c2 -n7 curl ${url}`,
    `nice -10 chronic curl ${url}`,
    `env -i -- A=b curl ${url}`,
    `A=b TZ=UTC curl ${url}`,
    `/bin/bash -lc "curl '${url}'"`,
    `sh -c 'sh -c "curl ${url}"'`,
    `su - www-data -s /bin/sh -c 'curl ${url}'`,
    `runuser -u www-data -- curl ${url}`,
    `( curl ${url} )`,
    `{ curl ${url}; } >/dev/null`,
    `cd /srv && curl ${url}`,
    `date; curl ${url}; echo done`,
    `curl ${url} || true`,
    `curl ${url} && echo "$(date)" >> x`,
    `curl ${url} | logger -t cron`,
    `curl ${url} >> /var/log/a.log 2>&1 &`,
    `curl ${url} || wget -qO- ${url}`,
    `nohup setsid stdbuf -o L time curl ${url}`,
    `A='${url}'; curl "$A"`,
    `# words\n\ncurl ${url}\n`,
  ]) {
    const { call, unhonoured, tool } = readCommand(text);
    assert.deepEqual([tool, unhonoured], ['curl', []], text);
    assert.equal(call?.url, url, text);
  }
});

test('what runs more than a call is no call, and says why', () => {
  const rows: [text: string, reason: RegExp][] = [
    [`curl ${url} | sh`, /no other command/],
    [`curl ${url} | tee /tmp/x.log`, /no other command/],
    [`curl ${url} && rm /tmp/x`, /another one/],
    [`curl ${url} || systemctl restart app`, /another one/],
    [`[ -f /tmp/x ] && curl ${url}`, /another one/],
    [`npm run x && curl ${url}`, /another one/],
    [`echo a | curl -d @- ${url}`, /standard input/],
    [`cat x | sh -c 'curl ${url}'`, /standard input/],
    [`curl ${url} & curl ${url}/b`, /one call/],
    [`curl ${url}; curl ${url}`, /one call/],
    [`curl ${url} || curl ${url}/b`, /one call/],
    [`curl ${url}?a=b&c=d`, /put the URL in quotes/],
    [`bash -c "curl ${url}/$(date)"`, /runs no commands/],
    [`bash -c 'curl $HOST'`, /not expanded/],
    [`(curl ${url}) > page.html`, /writes no files/],
  ];
  for (const [text, reason] of rows) {
    const { call, unhonoured, tool } = readCommand(text);
    assert.deepEqual([tool === null, call], [false, null], text);
    assert.ok(
      unhonoured.some((remark) => reason.test(remark.reason)),
      JSON.stringify(unhonoured),
    );
  }
  for (const text of [
    'env',
    'sudo -u a',
    'bash x.sh curl',
    'command -v curl',
    'timeout 5',
    'if a; then b; fi',
  ]) {
    assert.equal(readCommand(text).tool, null, text);
  }
});

test('a proxy that a variable names is not left out in silence', () => {
  for (const text of [
    `https_proxy=http://p:3128 curl ${url}`,
    `env -i HTTPS_PROXY=http://p:3128 curl ${url}`,
    `export http_proxy=http://p:3128; curl ${url}`,
    `ALL_PROXY=socks5://p && wget -qO- ${url}`,
  ]) {
    const { call, unhonoured } = readCommand(text);
    assert.equal(call, null, text);
    assert.match(unhonoured[0]?.reason ?? '', /chooses how it connects/);
    assert.doesNotMatch(JSON.stringify(unhonoured), /3128/);
  }
  const { call } = readCommand(`curl ${url}`, (name) => (name === 'https_proxy' ? 'p' : undefined));
  assert.equal(call, null);
  assert.notEqual(readCommand(`http_proxy_old=x curl ${url}`).call, null);
});

test('the time that a command may take is that of the job', () => {
  const rows: [command: string, seconds: number | null, named: string[]][] = [
    ['timeout 50', 50, []],
    ['timeout -k 5 --signal=KILL 0.5m', 30, []],
    ['timeout 1h sh -c', 60, ['timeout 3600']],
    ['timeout 0', null, []],
    ['timeout 20 nice', 20, []],
  ];
  for (const [command, seconds, named] of rows) {
    const text = command.endsWith('-c') ? `${command} 'curl ${url}'` : `${command} curl ${url}`;
    const { call, adapted } = readCommand(text);
    assert.equal(call?.timeoutSeconds, seconds, text);
    assert.deepEqual(
      adapted.map(({ text: part }) => part),
      named,
    );
  }
  assert.equal(readCommand(`timeout 50 curl -m 5 ${url}`).call?.timeoutSeconds, 5);
});

test('a command is named by what it does', () => {
  const rows: [text: string, program: string][] = [
    ['cd /srv && ./backup.sh --all', 'backup.sh'],
    ['php -q /var/www/cron.php', 'cron.php'],
    ['flock -n /tmp/x python3 /opt/run.py', 'run.py'],
    ['test -x /a || { cd / && run-parts /b; }', 'run-parts'],
    ['sleep 10; curl -x a https://example.com/b', 'example.com/b'],
    ['dump && curl https://example.com/b', 'dump'],
    ['echo a', 'echo'],
    ['', ''],
  ];
  for (const [text, program] of rows) assert.equal(readCommand(text).program, program, text);
});

test('no remark says what a variable holds', () => {
  for (const text of [
    'A=hunter2; curl $A',
    'export A=hunter2; curl -H "B: $A" https://x.example',
  ]) {
    const { ignored, adapted, unhonoured } = readCommand(text);
    assert.doesNotMatch(JSON.stringify([ignored, adapted, unhonoured]), /hunter2/);
  }
});

test('a line with standard input, or for another shell, is not certain', () => {
  assert.equal(whyUncertain({ input: null, settings: new Map([['SHELL', '/bin/bash']]) }), null);
  assert.match(whyUncertain({ input: '', settings: new Map() }) ?? '', /^% begins/);
  assert.match(
    whyUncertain({ input: null, settings: new Map([['SHELL', '/usr/bin/fish']]) }) ?? '',
    /^SHELL names/,
  );
});

test('what is lost of a pipe is said of real ones alone', () => {
  const piped = ['a | b', 'a |& b', '(a; b) | c', "sudo sh -c 'a | b'", 'a && b | c'];
  for (const text of piped)
    assert.match(pipeNote(text) ?? '', /only the exit code of the last/, text);
  const others = ['a || b', "a 'b | c'", 'a "b | c"', 'a \\| b', 'a # | b', 'a', 'a $(b | c)'];
  for (const text of [...others, 'set -o pipefail; a | b'])
    assert.equal(pipeNote(text), null, text);
});

test('a job is named by the host and the path of its URL, as far as a name may go', () => {
  assert.equal(nameOfCall('https://example.com/'), 'example.com');
  assert.equal(nameOfCall('https://example.com/a/b?token=secret'), 'example.com/a/b');
  assert.equal(nameOfCall(`https://example.com/${'a'.repeat(200)}`).length, 120);
});

test('as many remarks as fit into a line of a crontab are no trouble', () => {
  for (const mark of ['(', '{', '`', '$(']) {
    const text = `curl https://example.com/${mark.repeat(128_000 / mark.length)}`;
    assert.ok(readCommand(text).unhonoured.length > 0, mark);
  }
});

function said(text: string): string[] {
  return readCommand(text).adapted.map((one) => Object.values(one).join(': '));
}

test('a command that the call does without is named', () => {
  assert.deepEqual(said(`flock -n /tmp/a.lock curl ${url}`), [
    'flock: a job executes one run at a time anyway',
  ]);
  assert.deepEqual(said(`date; curl ${url}`), ['date: left out, a job makes the call alone']);
});
