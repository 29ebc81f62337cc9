/** Crontabs become definition files, and those become jobs; uncertain lines are listed. */

import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { turnCrontab } from '../../../../src/wings/definitions/client/crontab-jobs.ts';
import { wrappedLine } from '../../../../src/wings/definitions/client/crontab-monitors.ts';
import { requirePingUrl } from '../../../../src/cli/client/ping-url.ts';
import { emptyLoad, readDefinitions } from '../../../../src/wings/definitions/client/load.ts';
import { problemText } from '../../../../src/wings/definitions/client/parse-file.ts';
import type { Input } from '../../../../src/wings/definitions/client/kinds.ts';
import { isSystemCrontab } from '../../../../src/wings/readers/crontab.ts';
import { runCommand, serveCommand } from '../../../support/running/command.ts';
import { temporaryDirectory } from '../../../support/directory.ts';

const options = { isSystem: false, timezone: 'UTC', isZoneGiven: false };

/** The jobs in the file, read back with its variables. */
function jobsOf(crontab: string, more: Partial<typeof options> = {}): Input[] {
  const { text, variables, left } = turnCrontab(crontab, { ...options, ...more });
  assert.deepEqual(left, []);
  const loaded = emptyLoad();
  const sources = { variable: (name: string) => variables.get(name), file: () => assert.fail() };
  readDefinitions(loaded, { path: 'x', text }, sources);
  assert.deepEqual(loaded.problems.map(problemText), []);
  return loaded.definitions.map(({ input }) => input);
}

test('a crontab line that calls a URL becomes a job that makes the same call', () => {
  const url = 'https://example.com/cron.php?a=1';
  const base = { name: 'example.com/cron.php', url, cronExpr: '*/5 * * * *', timezone: 'UTC' };
  const rows: [command: string, job: object][] = [
    [`curl -fsS -m 10 --retry 2 -o /dev/null ${url}`, { ...base, timeoutSeconds: 10, retries: 2 }],
    [`/usr/bin/wget -qO- '${url}' >/dev/null 2>&1`, base],
    [`curl -s "${url}" # a comment`, base],
    [`curl -H 'X-Token: a b' ${url}`, { ...base, headers: { 'X-Token': 'a b' } }],
    [
      `curl -X PUT -H 'Content-Type: text/plain' -d '$\{x} file:' ${url}`,
      { ...base, method: 'PUT', headers: { 'Content-Type': 'text/plain' }, body: '${x} file:' },
    ],
  ];
  for (const [command, job] of rows)
    assert.deepEqual(jobsOf(`*/5 * * * * ${command}`), [job], command);
  const encoded = jobsOf('@daily curl https://example.com/\\%20');
  assert.equal(encoded[0]?.['url'], 'https://example.com/%20');
});

test('lines that make alike calls become jobs and monitors of different names', () => {
  const line = '@daily curl https://example.com/a';
  const jobs = jobsOf(`${line}\n${line}?b=c\n${line}`);
  const names = ['example.com/a', 'example.com/a 2', 'example.com/a 3'];
  assert.deepEqual(
    jobs.map(({ name }) => name),
    names,
  );
  const { monitored } = turnCrontab('@daily backup.sh\n@hourly backup.sh', options);
  assert.deepEqual(
    monitored.map(({ name }) => name),
    ['backup.sh', 'backup.sh 2'],
  );
});

test('a line whose times or command are not certain is skipped, with its number and the reason', () => {
  const rows: [line: string, reason: RegExp][] = [
    ['@reboot curl https://example.com/', /the times: .*@reboot/],
    ['0 25 * * * curl https://example.com/', /the times: the hour field/],
    ['@reboot backup.sh', /the times: .*@reboot/],
    ['TZ=Asia/Tokyo\n@daily backup.sh', /TZ is the zone/],
    ['@daily curl https://example.com/a%20b', /% begins the standard input/],
    ['TZ=Asia/Tokyo\n@daily curl https://example.com/', /TZ is the zone/],
    ['CRON_TZ=Mars\n@daily curl https://example.com/', /^CRON_TZ must be an IANA name/],
    ['@every 5s curl https://example.com/', /every in seconds must be between/],
    ['garbage', /five time fields/],
  ];
  for (const [line, reason] of rows) {
    const { turned, monitored, left } = turnCrontab(line, options);
    assert.deepEqual([turned, monitored.length, left.length], [0, 0, 1], line);
    assert.equal(left[0]?.text, line.split('\n').at(-1));
    assert.match(left[0]?.reason ?? '', reason, line);
    assert.equal(left[0]?.number, line.split('\n').length);
  }
});

test('a call that a job cannot make becomes a monitor, with the reason', () => {
  const rows: [line: string, key: string, reason: RegExp][] = [
    ['@daily curl https://example.com/a | sh', 'example.com-a', /^\| sh: .*no other command$/],
    ['@daily curl https://example.com/a && rm x', 'example.com-a', /another one$/],
    ['@daily backup && curl https://example.com/a', 'backup', /reports that a command ran can go/],
    ['@daily curl https://example.com/$(date)', 'example.com-date', /jobd runs no commands/],
    ['@daily curl https://example.com/?$TOKEN', 'example.com', /\$TOKEN: /],
    ['@daily curl --unknown x https://example.com/', 'x', /^--unknown: [^;]*$/],
    ['@daily curl https://example.com/a https://example.org/', 'example.com-a', /^2 URLs/],
    ['@daily curl https://example.com/a?b=c&d=e', 'example.com-a', /put the URL in quotes/],
    ['@daily curl -F a=b https://example.com/a', 'example.com-a', /multipart/],
    ['@daily curl -o page.html https://example.com/a', 'example.com-a', /writes no files/],
    ['@daily curl ftp://example.com/', 'curl', /ftp/],
    ["@daily curl -H 'X-Name: Müller' https://example.com/a", 'example.com-a', /printable ASCII/],
    ['@daily curl https://example.com:99999/a', 'curl', /not valid/],
    ['SHELL=/usr/bin/fish\n@daily curl https://example.com/a', 'example.com-a', /^SHELL names/],
    ['* * * * * sleep 30; curl https://example.com/a', 'example.com-a', /once a minute at most/],
  ];
  for (const [line, key, reason] of rows) {
    const { turned, monitored, left } = turnCrontab(line, options);
    assert.deepEqual([turned, left], [0, []], line);
    assert.equal(monitored[0]?.key, key, line);
    assert.match(monitored[0]?.why ?? '', reason, line);
  }
});

test('what a job does in another way is listed with its line', () => {
  const rows: [line: string, named: string[]][] = [
    ['@daily curl -sSL --retry 5 -m 300 https://example.com/', ['-L', '--retry 5', '-m 300']],
    ['A=b\n@daily wget "https://example.com/$A"', ['$A', 'no -O /dev/null', 'redirects']],
    ['@daily sleep $((RANDOM \\% 60)); curl https://example.com/', ['sleep $((RANDOM % 60))']],
    ['-@daily curl https://example.com/ || echo down', ['-', '|| echo down']],
    ['~ 3 * * * curl https://example.com/', ['~ 3 * * *']],
    [
      '0 3 * * * timeout 90 curl https://example.com/ >> /var/log/x.log 2>&1',
      ['>>/var/log/x.log', 'timeout 90'],
    ],
  ];
  for (const [crontab, named] of rows) {
    const { turned, adapted, left } = turnCrontab(crontab, options);
    assert.deepEqual([turned, left], [1, []], crontab);
    assert.deepEqual(
      adapted[0]?.remarks.map(({ text }) => text),
      named,
      crontab,
    );
  }
  const [every] = jobsOf('@every 90s curl https://example.com/');
  assert.deepEqual([every?.['periodSeconds'], every?.['cronExpr']], [90, undefined]);
  const [last] = jobsOf('0 0 l * 5L curl https://example.com/');
  assert.equal(last?.['cronExpr'], '0 0 l * 5L');
  assert.equal(jobsOf('-*/15 * * * * curl https://example.com/')[0]?.['cronExpr'], '*/15 * * * *');
});

test('the forms in which crontabs are published are all turned', () => {
  const path = join(import.meta.dirname, '..', '..', '..', 'vectors', 'crontab-forms.tab');
  const text = readFileSync(path, 'utf8');
  const { turned, monitored, left } = turnCrontab(text, options);
  assert.deepEqual(left, []);
  const rule = text.split('\n').indexOf('# ----');
  const wrong = monitored.filter(({ line }) => line.number < rule);
  assert.deepEqual(
    wrong.map(({ line, why }) => [line.text, why]),
    [],
  );
  assert.equal(turned, text.slice(0, text.indexOf('# ----')).match(/^[\d*@]/gm)?.length);
  assert.ok(turned > 30 && monitored.length > 15, `${turned} ${monitored.length}`);
});

const zone = (crontab: string, more: Partial<typeof options> = {}) =>
  jobsOf(crontab, more)[0]?.['timezone'];

test('the time zone comes from the crontab, the user, or the machine', () => {
  const line = '@daily curl https://example.com/';
  assert.equal(zone(line), 'UTC');
  assert.equal(zone(`CRON_TZ=Asia/Tokyo\nTZ=Europe/Rome\n${line}`), 'Asia/Tokyo');
  assert.equal(zone(`TZ=UTC\n${line}`), 'UTC');
  const given = { timezone: 'Europe/Paris', isZoneGiven: true };
  assert.equal(zone(`TZ=Asia/Tokyo\n${line}`, given), 'Europe/Paris');
});

test('a line that runs a command becomes a monitor, and the same line with jobd ping', () => {
  const rows: [line: string, key: string, grace: number | undefined, changed: string][] = [
    [
      '30 2 * * * backup --all',
      'backup',
      3_600,
      '30 2 * * * /usr/local/bin/jobd ping URL -- backup --all',
    ],
    [
      '0 * * * *  ./a.sh > /dev/null',
      'a.sh',
      900,
      "0 * * * *  /usr/local/bin/jobd ping URL -- sh -c './a.sh > /dev/null'",
    ],
    [
      "* * * * * A=1 echo 'x y'",
      'echo',
      undefined,
      "* * * * * /usr/local/bin/jobd ping URL -- sh -c 'A=1 echo '\\''x y'\\'''",
    ],
    [
      '@daily cd /srv && ./b',
      'b',
      3_600,
      "@daily /usr/local/bin/jobd ping URL -- sh -c 'cd /srv && ./b'",
    ],
    [
      '@daily log $(date +\\%F)',
      'log',
      3_600,
      "@daily /usr/local/bin/jobd ping URL -- sh -c 'log $(date +\\%F)'",
    ],
    [
      '@daily mail ann%a text',
      'mail',
      3_600,
      '@daily /usr/local/bin/jobd ping URL -- mail ann%a text',
    ],
    [
      'SHELL=/bin/bash\n@daily a | b',
      'a',
      3_600,
      "@daily /usr/local/bin/jobd ping URL -- /bin/bash -c 'a | b'",
    ],
  ];
  for (const [crontab, key, graceSeconds, changed] of rows) {
    const { text, monitored, left } = turnCrontab(crontab, options);
    assert.deepEqual(left, [], crontab);
    const [found] = monitored;
    assert.equal(found?.key, key);
    assert.equal(wrappedLine(found.line, 'URL'), changed);
    const loaded = emptyLoad();
    const sources = { variable: () => assert.fail(), file: () => assert.fail() };
    readDefinitions(loaded, { path: 'x', text }, sources);
    assert.deepEqual(loaded.problems.map(problemText), []);
    const [{ kind, input } = assert.fail()] = loaded.definitions;
    assert.deepEqual(
      [kind.noun, input['cronExpr'], input['graceSeconds']],
      ['monitor', found.line.cronExpr, graceSeconds],
    );
  }
  const system = turnCrontab('0 4 * * * root  /opt/x', { ...options, isSystem: true });
  const line = system.monitored[0]?.line ?? assert.fail();
  assert.equal(wrappedLine(line, 'URL'), '0 4 * * * root  /usr/local/bin/jobd ping URL -- /opt/x');
});

const example = `# Nightly backup
30 2 * * * curl -s -H "Authorization: Bearer it's" https://example.com/backup
0 4 * * * /usr/local/bin/rotate
@reboot /usr/local/bin/start
*/5 * * * * wget -qO- https://example.com/ping
`;

test('a crontab becomes a file without secrets, which can be applied', async (t) => {
  const folder = temporaryDirectory(t);
  const path = join(folder, 'crontab');
  const env = join(folder, 'secrets.env');
  writeFileSync(path, example);
  const ran = await runCommand(['import', 'crontab', path, '--tz', 'UTC', '--variables', env]);
  assert.equal(ran.exitCode, 1);
  assert.match(
    ran.stderr,
    new RegExp(
      '^line 5 of the crontab, job example.com/ping: redirects: jobd does not follow .*\n' +
        'line 3 of the crontab runs a command; for the monitor rotate change it to:\n' +
        '  0 4 \\* \\* \\* /usr/local/bin/jobd ping PING_URL -- /usr/local/bin/rotate\n' +
        'PING_URL is the ping URL: after jobd apply, jobd monitors get NAME shows it\n' +
        'after jobd apply, take lines 2, 5 out of the crontab: jobd makes these calls\n' +
        'line 4 of the crontab skipped: the times: .*\n  @reboot /usr/local/bin/start\n' +
        'turned 3 of 4 lines: 2 jobs, 1 monitor\n$',
    ),
  );
  assert.match(ran.stdout, /Authorization: \$\{SECRET_NIGHTLY_BACKUP_AUTHORIZATION\}/);
  assert.doesNotMatch(ran.stdout + ran.stderr, /it's/);
  assert.equal(
    readFileSync(env, 'utf8'),
    "SECRET_NIGHTLY_BACKUP_AUTHORIZATION='Bearer it'\\''s'\n",
  );
  assert.equal(statSync(env).mode & 0o777, 0o600);
  const again = await runCommand(['import', 'crontab', path, '--variables', env]);
  assert.equal(again.exitCode, 5, 'no file is overwritten');
  assert.match(again.stderr, /already exists: choose another file name/);
  const nowhere = ['--variables', join(folder, 'no', 'env')];
  const missing = await runCommand(['import', 'crontab', path, ...nowhere]);
  assert.equal(missing.exitCode, 1);
  assert.match(missing.stderr, /there is no directory (.*\/no): mkdir -p -m 700 \1$/m);

  const daemon = await serveCommand(t);
  const file = join(folder, 'jobs.yaml');
  writeFileSync(file, ran.stdout);
  const secret = { SECRET_NIGHTLY_BACKUP_AUTHORIZATION: "Bearer it's" };
  const applied = await runCommand(['apply', '-f', file], { ...daemon.env, ...secret });
  assert.deepEqual(
    [applied.exitCode, applied.stdout],
    [
      0,
      'created\tjob\texample.com-ping\t-\ncreated\tjob\tnightly-backup\t-\ncreated\tmonitor\trotate\t-\n',
    ],
  );
  const direct = await runCommand(
    ['import', 'crontab', '-', '--tz', 'UTC', '--apply'],
    daemon.env,
    example,
  );
  assert.equal(direct.exitCode, 1, 'a line is left');
  assert.match(direct.stderr, /0 created, 0 updated, 0 deleted; 3 the same/);
  const { stdout } = await runCommand(['monitors', 'get', 'rotate', '--json'], daemon.env);
  const { monitor } = JSON.parse(stdout) as { monitor: { pingUrl: string } };
  assert.ok(
    direct.stderr.includes(
      `  0 4 * * * /usr/local/bin/jobd ping ${monitor.pingUrl} -- /usr/local/bin/`,
    ),
  );
  const whole = await runCommand(
    ['import', 'crontab', '--tz', 'UTC', '--json'],
    {},
    '@daily curl https://example.com/',
  );
  assert.equal(whole.exitCode, 0);
  assert.deepEqual(Object.keys(JSON.parse(whole.stdout) as object), [
    'jobs',
    'variables',
    'adapted',
    'wrapped',
    'left',
    'yaml',
  ]);
});

test('of a line with a pipe is said which exit code its monitor sees', async () => {
  const crontab = "@daily curl -s https://example.com/ | mail me\n@daily a || b 'c | d'\n";
  const { stderr } = await runCommand(['import', 'crontab', '--tz', 'UTC'], {}, crontab);
  assert.match(
    stderr,
    /'curl -s https:\/\/example\.com\/ \| mail me'\nthe monitor sees only the exit code of the last command of the pipe; .*\nline 2/,
  );
  assert.equal(stderr.match(/the monitor sees/g)?.length, 1);
});

test('a line that the server refuses is named, and the others are turned', async (t) => {
  const daemon = await serveCommand(t);
  const crontab = 'MAILTO=me\n0 4 * * * rotate\n5 4 * * * curl http://10.0.0.1/\n';
  const args = ['import', 'crontab', '--tz', 'UTC', '--apply'];
  const ran = await runCommand(args, daemon.env, crontab);
  assert.equal(ran.exitCode, 2);
  assert.match(
    ran.stderr,
    /^jobd: crontab:3:1: job 10\.0\.0\.1: url must lead to a public address.*--allow-target 10\.0\.0\.1\n1 created, .*\nline 2 .*\n  0 4 .*\/ping\/.* -- rotate\nturned 1 of 2 lines: 1 job, 1 monitor, 1 refused by the server\n$/,
  );
  const monitors = await runCommand(['monitors', 'list', '--json'], daemon.env);
  assert.match(monitors.stdout, /"name": ?"rotate"/);
});

test('a zone that is none is said once, before anything is read or written', async () => {
  const lines = '0 4 * * * rotate\n5 4 * * * curl https://example.com/\n';
  const ran = await runCommand(['import', 'crontab', '--tz', 'Berlin'], {}, lines);
  assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
  assert.match(ran.stderr, /^jobd: --tz must be .*; did you mean Europe\/Berlin\?\n$/);
});

test('text in another encoding is refused from standard input as from a file', async (t) => {
  const path = join(temporaryDirectory(t), 'crontab');
  writeFileSync(path, Buffer.from('# T\u00e4glich\n@daily curl https://example.com/\n', 'latin1'));
  const args = ['import', 'crontab', '--tz', 'UTC'];
  for (const ran of [
    await runCommand([...args, path]),
    await runCommand([...args, '-'], {}, readFileSync(path)),
  ]) {
    assert.deepEqual([ran.exitCode, ran.stdout], [2, '']);
    assert.match(ran.stderr, /is not UTF-8/);
  }
});

test('a line is shown as it must be written, or not at all', async () => {
  const tabs = "0 4 * * * sort -t'\t' /a\n0 4 * * * bar \u001b]0;x\u0007\n";
  const { stderr } = await runCommand(['import', 'crontab', '--tz', 'UTC'], {}, tabs);
  assert.ok(stderr.includes("sort -t'\\''\t'\\'' /a"), stderr);
  assert.match(stderr, /line 2 .* change it by hand: it has control characters, which cannot/);
  assert.ok(!stderr.includes('\u001b') && !stderr.includes('\u0007'));
});

test('a ping URL that a shell would read otherwise is not printed', () => {
  assert.equal(requirePingUrl('https://h:8080/ping/a-1'), 'https://h:8080/ping/a-1');
  for (const url of [
    'http://h/ping/1;touch /tmp/x',
    'http://h/$(id)',
    'javascript:1',
    'http://h/%',
  ]) {
    assert.throws(() => requirePingUrl(url), /does not answer like jobd/);
  }
});

test('a system crontab is known by its path, and refused by its text unless --system says it', async () => {
  for (const path of ['/etc/crontab', '/etc/cron.d/certbot'])
    assert.ok(isSystemCrontab(path), path);
  for (const path of ['/root/crontab', '/etc/cron.daily/x', '/etc/cron.d/', '/srv/etc/crontab']) {
    assert.ok(!isSystemCrontab(path), path);
  }
  const args = ['import', 'crontab', '--tz', 'UTC'];
  const system = 'SHELL=/bin/sh\n# m h dom mon dow user\n17 *\t* * *\troot\tcd / && run-parts /x\n';
  const refused = await runCommand(args, {}, system);
  assert.deepEqual([refused.exitCode, refused.stdout], [2, '']);
  assert.match(
    refused.stderr,
    /^jobd: line 3 of the crontab names the user root .* add --system; if root is a command, .*\n$/,
  );
  const taken = await runCommand([...args, '--system'], {}, system);
  assert.equal(taken.exitCode, 0, taken.stderr);
  assert.match(taken.stdout, /^ {2}run-parts:$/m);
  for (const command of ['root', 'root -b -q macro.C', 'mail ann', 'backup /home', '/opt/root x']) {
    const ran = await runCommand(args, {}, `@daily ${command}\n`);
    assert.equal(ran.exitCode, 0, ran.stderr);
  }
});
