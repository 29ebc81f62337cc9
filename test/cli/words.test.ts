/** Words: other names of commands, the time zone of the machine, and refusals in the words of the command line. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { withoutAliases } from '../../src/cli/aliases.ts';
import { optionWords } from '../../src/cli/client/option-words.ts';
import { runCommand } from '../support/running/command.ts';

test('commands have the names that people know from elsewhere', () => {
  const rows: [given: string, meant: string][] = [
    ['job ls', 'jobs list'],
    ['jobs show a', 'jobs get a'],
    ['channel rm a --yes', 'channels delete a --yes'],
    ['window show a', 'windows get a'],
    ['badges rm a', 'badges delete a'],
    ['--profile x monitor ls', '--profile x monitors list'],
    ['--profile=x monitor ls', '--profile=x monitors list'],
    ['help job show', 'help jobs get'],
    ['keys rm ID', 'key revoke ID'],
    ['account show a', 'account show a'],
    ['version', '--version'],
    ['runs list show', 'runs list show'],
    ['constructor', 'constructor'],
    ['', ''],
  ];
  for (const [given, meant] of rows) {
    const words = given === '' ? [] : given.split(' ');
    const expected = meant === '' ? [] : meant.split(' ');
    assert.deepEqual(withoutAliases(['node', 'jobd', ...words]).slice(2), expected, given);
  }
});

test('a refusal names options, and shows seconds as people type them', () => {
  const rows: [sentence: string, words: string][] = [
    [
      'periodSeconds must be between 60 and 31536000, got 30',
      '--every must be between 1m and 365d, got 30s',
    ],
    [
      'graceSeconds must be between 0 and 86400, got 90000',
      '--grace must be between 0s and 1d, got 25h',
    ],
    [
      'timeoutSeconds must be at most 30 on the plan free, got 60',
      '--timeout must be at most 30s on the plan free, got 1m',
    ],
    [
      'cronExpr must leave at least 900 s between due times',
      '--cron must leave at least 900 s between due times',
    ],
    ['url must lead to a public address', '--url must lead to a public address'],
    ['config.botToken must not be empty', '--bot-token must not be empty'],
    ['monitorIds must be ids of monitors', '--monitor must be ids of monitors'],
    [
      'onResultSecret needs onResult, the URL that gets results',
      '--on-result-secret needs --on-result, the URL that gets results',
    ],
    ['after.jobId must be the id of a job', '--after must be the id of a job'],
    ['after must not close a circle: a, then b', '--after must not close a circle: a, then b'],
    ['a job can be run by hand once a minute', 'a job can be run by hand once a minute'],
    ['constructor', 'constructor'],
  ];
  for (const [sentence, words] of rows) assert.equal(optionWords(sentence), words);
});

/** Previews a schedule on a machine in this zone. */
const preview = (zone: string, expr = '0 9 * * *') =>
  runCommand(['schedule', 'preview', expr, '--count', '1', '--from', '2026-06-01T00:00Z'], {
    TZ: zone,
  });

test('a schedule without a zone has that of the machine, which is said once it is taken', async () => {
  const tokyo = await preview('Asia/Tokyo');
  assert.match(tokyo.stdout, /\t2026-06-02T00:00:00\.000Z\n$|\t2026-06-01T00:00:00\.000Z\n$/);
  assert.equal(tokyo.stderr, 'time zone: Asia/Tokyo, as on this machine; --tz names another\n');
  const unknown = await preview('Nowhere/Else');
  assert.deepEqual([unknown.exitCode, unknown.stdout], [2, '']);
  assert.match(unknown.stderr, /which is no IANA time zone: say --tz/);
  const wrong = await preview('UTC', '0 9 * * mon-fry');
  assert.equal(wrong.exitCode, 2);
  assert.match(
    wrong.stderr,
    /^jobd: the expression: .*\(did you mean mon-fri\?\), got "mon-fry"\n$/,
  );
});

test('nearly known words are suggested', async () => {
  const rows: [args: string[], words: RegExp][] = [
    [
      ['jobs', 'creat'],
      /^jobd: unknown command 'creat' \(did you mean create\?\), see jobd help jobs\n$/,
    ],
    [
      ['jobs', 'create', '--nmae', 'x', '--url', 'https://example.com/'],
      /^jobd: unknown option '--nmae' \(did you mean --name\?\), see jobd help jobs create\n$/,
    ],
    [['jbos', 'list'], /^jobd: unknown command 'jbos' \(did you mean jobs\?\), see jobd help\n$/],
    [
      ['jobs', 'list', '--jsn'],
      /^jobd: unknown option '--jsn' \(did you mean --json\?\), see jobd help jobs list\n$/,
    ],
    [['ls'], /^jobd: unknown command 'ls' \(did you mean jobd jobs list\?\), see jobd help\n$/],
    [['list'], /\(did you mean jobd jobs list\?\), see jobd help\n$/],
    [['run', 'backup'], /\(did you mean jobd jobs run\?\), see jobd help\n$/],
    [['replay', 'backup'], /\(did you mean jobd runs replay\?\), see jobd help\n$/],
    [['mute'], /\(did you mean jobd windows create\?\), see jobd help\n$/],
    [['silence', 'backup'], /\(did you mean jobd windows create\?\), see jobd help\n$/],
    [['jobs', 'mute', 'backup'], /\(did you mean jobd windows create\?\), see jobd help jobs\n$/],
    [['jobs', 'unpause', 'a'], /\(did you mean jobd jobs resume\?\), see jobd help jobs\n$/],
    [['monitors', 'unpause', 'a'], /\(did you mean resume\?\), see jobd help monitors\n$/],
    [['jobs', 'list', '--label', 'a=b'], /\(did you mean --selector\?\), see jobd help jobs list/],
    [['jobs', 'start'], /^jobd: unknown command 'start', see jobd help jobs\n$/],
    [['monitors', 'logs'], /^jobd: unknown command 'logs', see jobd help monitors\n$/],
    [['audit', 'backup'], /^jobd: too many arguments .*: backup; see jobd help audit\n$/],
    [['runs', 'receipt'], /^jobd: missing required argument 'job'; see jobd help runs receipt\n$/],
    [['logs'], /\(did you mean jobd runs list\?\), see jobd help\n$/],
    [['--profile', 'x', 'logs'], /\(did you mean jobd runs list\?\), see jobd help\n$/],
    [['constructor'], /^jobd: unknown command 'constructor', see jobd help\n$/],
    [['help', 'jobs', 'frob'], /^jobd: unknown command 'frob', see jobd help jobs\n$/],
    [
      ['jobs', 'create', '--name', 'a', '--body', 'x'],
      /'--body' \(did you mean --data\?\), see jobd help jobs/,
    ],
    [['runs', 'list', '--job', 'x'], /\(did you mean jobd runs list JOB\?\), see jobd help runs/],
    [
      ['audit', '--action', 'job.delet'],
      /, job\.delete, .*got job\.delet, did you mean job\.delete\?\n$/,
    ],
    [
      ['audit', '--action', 'frobnicate'],
      /^jobd: --action must be one of job, .*got frobnicate\n$/,
    ],
    [['key', 'create', '--permission', 'raed'], /got raed, did you mean read\?\n$/],
    [['schedule', 'preview', '@dayly'], /did you mean @daily\?\n$/],
    [['schedule', 'preview', '@daily', '--tz', 'Europe/Berln'], /did you mean Europe\/Berlin\?\n$/],
    [['schedule', 'preview', '@daily', '--tz', 'new york'], /did you mean America\/New_York\?\n$/],
    [['schedule', 'preview', '0 0 * janaury *'], /did you mean jan\?\)/],
  ];
  for (const [args, words] of rows) {
    const { exitCode, stderr } = await runCommand(args);
    assert.equal(exitCode, 2, args.join(' '));
    assert.match(stderr, words);
  }
});

/** What `jobs list` says of a server that it cannot use. */
async function refusalBy(url: string): Promise<string> {
  const env = { JOBD_URL: url, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const { exitCode, stderr } = await runCommand(['jobs', 'list'], env);
  assert.equal(exitCode, 7, stderr);
  return stderr;
}

test('what is wrong with a server is said', async (t) => {
  // Answers everything with something that is neither HTTP nor TLS.
  const strange = createServer((socket) => socket.on('error', () => {}).end('220 mail\r\n'));
  await once(strange.listen(0, '127.0.0.1'), 'listening');
  t.after(() => strange.close());
  const { port } = strange.address() as AddressInfo;
  assert.match(
    await refusalBy(`http://127.0.0.1:${port}`),
    /is it https:\/\/ instead of http:\/\/\?\n$/,
  );
  assert.match(
    await refusalBy(`https://127.0.0.1:${port}`),
    /is it http:\/\/ instead of https:\/\/\?\n$/,
  );
});
