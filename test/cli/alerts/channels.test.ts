/** `jobd channels` (docs/behavior.md#the-command-line). */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { AllDeliveries } from '../../../src/api/alerts/contract.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { startMailServer } from '../../support/fakes/mail-server.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const newBackup = 'jobs create --name backup --url https://example.com/ --paused --every 1h';
const createBackup = newBackup.split(' ');

test('channels can be created, tested, listed, changed and deleted from the shell', async (t) => {
  const { jobd, env, dataDir } = await serveCommand(t);
  const sink = await startSink(t, (response) => response.writeHead(500).end('broken'));
  await jobd(...createBackup);
  const args = ['channels', 'create', '--name', 'ops', '--type', 'webhook', '--config', '-'];
  const config = JSON.stringify({ url: sink.url });
  const made = await runCommand([...args, '--job', 'backup'], env, config);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^name\tops$/m);
  assert.match(made.stdout, /^alert after failures in a row\t1$/m);
  assert.match(made.stdout, /^secret\twhsec_\S+$/m);

  const tested = await jobd('channels', 'test', 'ops', '--no-wait');
  assert.match(tested.stdout, /^[0-9a-f-]{36}\n$/);
  await until('the failure to be shown', async () => {
    const { stdout } = await jobd('channels', 'list');
    return /^ops\twebhook\tyes\ttest pending: http: 500, broken(?:; alerts wait, next attempt .*)?\t\S+\n$/.test(
      stdout,
    );
  });
  const deliveries = await jobd('channels', 'deliveries', 'ops', '--json');
  const [delivery] = (JSON.parse(deliveries.stdout) as { deliveries: object[] }).deliveries;
  assert.partialDeepStrictEqual(delivery, { id: tested.stdout.trim(), event: 'test' });
  const begun = await jobd(
    'channels',
    'deliveries',
    'ops',
    tested.stdout.slice(0, 13).toUpperCase(),
  );
  assert.match(begun.stdout, /^1\t20/);
  const unknown = await jobd('channels', 'deliveries', 'ops', 'ffff');
  assert.deepEqual([unknown.exitCode, /begins with ffff/.test(unknown.stderr)], [3, true]);
  const attempts = await jobd('channels', 'deliveries', 'ops', tested.stdout.trim());
  assert.match(attempts.stdout, /^1\t20\S+Z\t\d+\t500\thttp: 500, broken\n/);
  const asJson = await jobd('channels', 'deliveries', 'ops', tested.stdout.trim(), '--json');
  assert.partialDeepStrictEqual(JSON.parse(asJson.stdout), {
    delivery: { event: 'test' },
    attempts: [{ number: 1, httpStatus: 500 }],
  });

  const file = join(dataDir, 'chat.json');
  writeFileSync(file, '{"url":"https://hooks.example.com/x"}');
  const chat = ['channels', 'create', '--name', 'chat', '--type', 'slack', '--config', `@${file}`];
  const second = await jobd(...chat, '--after-failures', '3', '--disable', '--json');
  assert.partialDeepStrictEqual(JSON.parse(second.stdout), {
    channel: { type: 'slack', afterFailures: 3, enabled: false, jobIds: null },
  });
  const changed = await jobd('channels', 'update', 'ops', '--all-jobs', '--name', 'all', '--json');
  assert.partialDeepStrictEqual(JSON.parse(changed.stdout), {
    channel: { name: 'all', jobIds: null, enabled: true },
  });
  assert.equal((await jobd('channels', 'delete', 'all')).exitCode, 2, 'it asks before');
  assert.equal((await jobd('channels', 'delete', 'all', '--yes')).exitCode, 0);
  assert.equal((await jobd('channels', 'get', 'all')).exitCode, 3);
});

test('a channel covers chosen monitors, missed and interrupted runs, and reminders', async (t) => {
  const { jobd, env } = await serveCommand(t);
  await jobd(...createBackup);
  await jobd('monitors', 'create', '--name', 'sync', '--every', '1h');
  const create = ['channels', 'create', '--type', 'slack', '--config', '-'];
  const config = '{"url":"https://hooks.example.com/x"}';
  const flags = ['--job', 'backup', '--monitor', 'sync', '--also', 'missed,interrupted'];
  const args = [...create, '--name', 'ops', ...flags, '--remind-every', '90m'];
  const made = await runCommand(args, env, config);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^jobs\tbackup\nmonitors\tsync$/m);
  assert.match(made.stdout, /^also alert\tmissed, interrupted$/m);
  assert.match(made.stdout, /^remind every\t90m$/m);
  const update = async (...given: string[]) =>
    (await jobd('channels', 'update', 'ops', ...given)).stdout;
  const none = await update('--no-monitors', '--also', 'none', '--no-reminders');
  assert.match(none, /^monitors\tnone\n/m);
  assert.doesNotMatch(none, /^(?:also alert|remind every)\t/m);
  assert.match(await update('--all-monitors', '--also', 'missed'), /^monitors\tall\n/m);
  const kept = await update('--name', 'ops');
  assert.match(kept, /^monitors\tall\n/m);
  assert.match(kept, /^also alert\tmissed$/m);
  const withoutMonitors = await runCommand(
    [...create, '--name', 'b', '--job', 'backup'],
    env,
    config,
  );
  assert.match(withoutMonitors.stdout, /^monitors\tnone$/m);

  await jobd('channels', 'test', 'ops');
  const ofJob = await jobd('channels', 'deliveries', 'ops', '--job', 'backup', '--json');
  assert.deepEqual(JSON.parse(ofJob.stdout), { deliveries: [], nextCursor: null });
  const all = await jobd('channels', 'deliveries', 'ops', '--json');
  assert.partialDeepStrictEqual(JSON.parse(all.stdout), { deliveries: [{ subject: null }] });
});

test('deliveries about a job are listed of all channels, newest first', async (t) => {
  const receiver = await startSink(t);
  const { env } = await serveCommand(t);
  const jobd = (...args: string[]) => runCommand(args, env);
  const to = ['--type', 'webhook', '--url', receiver.url];
  for (const name of ['ops', 'boss']) await jobd('channels', 'create', '--name', name, ...to);
  const url = 'http://127.0.0.1:1/';
  await jobd('jobs', 'create', '--name', 'backup', '--every', '1d', '--retries', '0', '--url', url);
  await jobd('jobs', 'run', 'backup', '--wait');
  await until('both alerts', () => receiver.received.length >= 2);
  const { stdout } = await jobd('channels', 'deliveries', '--job', 'backup');
  const lines = stdout.trimEnd().split('\n');
  assert.deepEqual(lines.map((line) => line.split('\t').slice(0, 3).join(' ')).toSorted(), [
    'boss job.failed backup',
    'ops job.failed backup',
  ]);
  const asJson = await jobd('channels', 'deliveries', '--job', 'backup', '--limit', '1', '--json');
  const one = JSON.parse(asJson.stdout) as AllDeliveries;
  assert.equal(one.deliveries.length, 1);
  assert.notEqual(one.nextCursor, null);
  const all = JSON.parse((await jobd('channels', 'deliveries', '--json')).stdout) as AllDeliveries;
  assert.deepEqual(all.deliveries.map(({ channel }) => channel.name).toSorted(), ['boss', 'ops']);
  assert.equal((await jobd('channels', 'deliveries', '--monitor', 'backup')).exitCode, 3);

  const { id = '', channel } = all.deliveries[0] ?? {};
  const own = channel?.name ?? '';
  const other = own === 'ops' ? 'boss' : 'ops';
  for (const begin of [id.slice(0, 4), id.slice(0, 20).toUpperCase(), id]) {
    const tried = await jobd('channels', 'deliveries', own, begin, '--json');
    assert.equal(tried.exitCode, 0, tried.stderr);
    assert.partialDeepStrictEqual(JSON.parse(tried.stdout), { delivery: { id } });
  }
  assert.deepEqual(await jobd('channels', 'deliveries', other, id.slice(0, 30)), {
    exitCode: 3,
    stdout: '',
    stderr: `jobd: no delivery of this channel has an id that begins with ${id.slice(0, 30)}\n`,
  });
  assert.match(
    (await jobd('channels', 'deliveries', own, '01a')).stderr,
    /^jobd: a delivery is named by its id, or 4 characters of it or more; got 01a\n$/,
  );
  await jobd('channels', 'test', own);
  const several = await jobd('channels', 'deliveries', own, id.slice(0, 4));
  assert.equal(several.exitCode, 2);
  assert.match(
    several.stderr,
    /^jobd: the ids of 2 deliveries begin with \w{4}: use more of it\n  \S{36}  test  \w+\n  \S{36}  job\.failed  delivered\n$/,
  );
});

test('invalid input is refused before any request, and secrets stay off the command line', async () => {
  const env = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const create = ['channels', 'create', '--name', 'a', '--type', 'slack'];
  const push = ['channels', 'create', '--name', 'a', '--type', 'pushover'];
  const update = ['channels', 'update', 'a'];
  const rows: [args: string[], input: string, words: RegExp][] = [
    [create, '', /type slack needs --url <url\|@file\|->, or --config$/m],
    [[...create, '--room', '!a'], '', /--room is not of type slack, which has --url/],
    [[...create, '--url', 'x', '--config', '-'], '{}', /use either --config or --url, not both/],
    [
      [...push, '--token', 's3cret', '--user', '-'],
      '',
      /--token must be @FILE or -, as others can/,
    ],
    [[...push, '--token', '-', '--user', '-'], '', /standard input, got --token and --user$/m],
    [[...push, '--token', '-'], '', /type pushover needs --token <@file\|-> --user <@file\|->/],
    [['channels', 'update', 'a', '--bot-token', 's3cret'], '', /--bot-token must be @FILE or -/],
    [[...create, '--config', '{"url":"x"}'], '', /--config must be @FILE or -/],
    [[...create, '--config', '-'], 'not json', /--config must hold one JSON object/],
    [
      [...create, '--config', '@/no/such'],
      '',
      /--config @\/no\/such: there is no file \/no\/such\n/,
    ],
    [['channels', 'create', '--name', 'a', '--type', 'pager'], '', /--type must be one of webhook/],
    [[...create, '--config', '-', '--after-failures', '0'], '{}', /between 1 and 100, got 0/],
    [['channels', 'update', 'a', '--enable', '--disable'], '', /use either --enable or --disable/],
    [
      [...update, '--monitor', 'm', '--no-monitors'],
      '',
      /use one of --monitor, --all-monitors and/,
    ],
    [[...update, '--remind-every', '1h', '--no-reminders'], '', /--remind-every or --no-reminders/],
    [
      [...update, '--remind-every', '14m'],
      '',
      /--remind-every must be between 15m and 7d, got 14m/,
    ],
    [[...update, '--also', 'failed'], '', /--also must be one of missed, interrupted/],
    [update, '', /say what to change: jobd channels update ops --disable\n/],
    [
      ['channels', 'deliveries', 'a', '--job', 'j', '--monitor', 'm'],
      '',
      /either --job or --monitor/,
    ],
  ];
  for (const [args, input, words] of rows) {
    const { exitCode, stderr, stdout } = await runCommand(args, env, input);
    assert.match(stderr, words, args.join(' '));
    assert.doesNotMatch(stderr, /s3cret/);
    assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
  }
});

test('each type is created with options, its secrets from files and standard input', async (t) => {
  const { env, dataDir } = await serveCommand(t);
  const token = join(dataDir, 'token.txt');
  writeFileSync(token, `${'t'.repeat(30)}\n`);
  const file = `@${token}`;
  const url = 'http://127.0.0.1:1/canary';
  const rows: [type: string, options: string[], destination: string][] = [
    ['webhook', ['--url', url], '127.0.0.1:1'],
    ['slack', ['--url', '-'], '127.0.0.1:1'],
    ['telegram', ['--bot-token', '-', '--chat-id', '@ops'], 'api.telegram.org'],
    ['ntfy', ['--url', url], '127.0.0.1:1'],
    ['matrix', ['--url', url, '--room', '!a:example.org', '--token', file], '127.0.0.1:1'],
    ['gotify', ['--url', url, '--token', file], '127.0.0.1:1'],
    ['pushover', ['--token', file, '--user', file, '--priority', '-1'], 'api.pushover.net'],
    ['opsgenie', ['--api-key', file, '--region', 'eu'], 'api.eu.opsgenie.com'],
  ];
  const input: Record<string, string> = { slack: `${url}\n`, telegram: `1:${'z'.repeat(30)}\n` };
  for (const [type, options, destination] of rows) {
    const create = ['channels', 'create', '--name', type, '--type', type, '--disable'];
    const made = await runCommand([...create, ...options], env, input[type]);
    assert.equal(made.exitCode, 0, made.stderr);
    assert.match(made.stdout, new RegExp(`^destination\t${destination}$`, 'm'));
    assert.doesNotMatch(made.stdout + made.stderr, /canary|ttt|zzz/);
  }
  const update = ['channels', 'update', 'slack', '--url', 'https://hooks.slack.com/services/T/B/x'];
  const changed = await runCommand(update, env);
  assert.match(changed.stdout, /^destination\thooks\.slack\.com$/m);
  const mail = ['channels', 'create', '--name', 'ann', '--type', 'email', '--to', 'a@example.com'];
  const refused = await runCommand(mail, env);
  assert.equal(refused.exitCode, 5);
  assert.match(refused.stderr, /no mail server.*--smtp-url URL or JOBD_SMTP_URL$/m);
});

test('a test is waited for, and says whether it arrived, why not and what to do', async (t) => {
  const { jobd } = await serveCommand(t);
  const sink = await startSink(t, (response, { path }) => {
    if (path === '/slow') return;
    response
      .writeHead(path === '/gone' ? 404 : 200)
      .end(path === '/gone' ? 'no_\u001b[31mservice\u001b[0m\r\n\t now\n' : 'ok');
  });
  const create = (name: string, path: string) =>
    jobd('channels', 'create', '--name', name, '--type', 'slack', '--url', `${sink.url}${path}`);
  await create('ops', '/');
  const arrived = await jobd('channels', 'test', 'ops');
  assert.match(arrived.stdout, /^delivered to ops \(HTTP 200, \d+ ms\)\n$/);
  assert.deepEqual([arrived.exitCode, arrived.stderr], [0, '']);
  const early = await jobd('channels', 'test', 'ops');
  assert.equal(early.exitCode, 6, 'once a minute');

  await create('gone', '/gone');
  const failed = await jobd('channels', 'test', 'gone');
  assert.deepEqual([failed.exitCode, failed.stdout], [1, '']);
  assert.match(
    failed.stderr,
    /^jobd: the test of gone was not delivered: http: 404, no_service now\n/,
  );
  assert.match(failed.stderr, /jobd channels update gone --url <url\|@file\|->\n$/);
  await create('gone too', '/gone');
  const asJson = await jobd('channels', 'test', 'gone too', '--json');
  assert.equal(asJson.exitCode, 1);
  assert.partialDeepStrictEqual(JSON.parse(asJson.stdout), {
    delivery: {
      event: 'test',
      status: 'failed',
      lastError: 'http: 404, no_service now',
    },
    attempts: [{ number: 1, httpStatus: 404 }],
  });

  await create('a b', '/slow');
  const late = await jobd('channels', 'test', 'a b', '--timeout', '1');
  assert.deepEqual([late.exitCode, late.stdout], [124, '']);
  assert.match(
    late.stderr,
    /^the test still waits; to see it: jobd channels deliveries [0-9a-f-]{36} /,
  );
});

test('an email channel takes several addresses, and its test says that the mail server took it', async (t) => {
  const { host, received } = await startMailServer(t);
  const flags = { smtpUrl: `smtp://${host}`, mailAllow: ['example.com'] };
  const daemon = await startTestDaemon(t, { flags });
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const create = ['channels', 'create', '--name', 'ann', '--type', 'email'];
  const refused = await runCommand([...create, '--to', 'a@example.org,b@example.net'], env);
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /does not allow mail to a@example\.org, b@example\.net$/m);
  const made = await runCommand([...create, '--to', 'a@example.com', '--to', 'b@example.com'], env);
  assert.match(made.stdout, /^destination\ta…@example\.com, b…@example\.com$/m);
  const tested = await runCommand(['channels', 'test', 'ann'], env);
  assert.match(tested.stdout, /^delivered to ann \(taken by the mail server, \d+ ms\)\n$/);
  assert.deepEqual(received[0]?.to, ['a@example.com', 'b@example.com']);
});

test('a test that gets no answer says that alerts wait for the channel', async (t) => {
  const { jobd } = await serveCommand(t);
  const hook = ['--type', 'webhook', '--url', 'http://127.0.0.1:1/hook'];
  assert.equal((await jobd('channels', 'create', '--name', 'away', ...hook)).exitCode, 0);
  const waits = /alerts wait, next attempt in \d+ s/;
  const tested = await jobd('channels', 'test', 'away');
  assert.equal(tested.exitCode, 1);
  assert.match(tested.stderr, waits);
  assert.match((await jobd('channels', 'get', 'away')).stdout, waits);
  assert.match(
    (await jobd('channels', 'list')).stdout,
    /\ttest pending: refused.*; alerts wait, next attempt /,
  );
});
