/** `jobd channels` (docs/behavior.md#the-command-line). */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

test('channels can be created, tested, listed, changed and deleted from the shell', async (t) => {
  const { jobd, env, dataDir } = await serveCommand(t);
  const sink = await startSink(t, (response) => response.writeHead(500).end('broken'));
  await jobd('jobs', 'create', '--name', 'backup', '--url', 'https://example.com/', '--paused');
  const args = ['channels', 'create', '--name', 'ops', '--type', 'webhook', '--config', '-'];
  const config = JSON.stringify({ url: sink.url });
  const made = await runCommand([...args, '--job', 'backup'], env, config);
  assert.equal(made.exitCode, 0, made.stderr);
  assert.match(made.stdout, /^name\tops$/m);
  assert.match(made.stdout, /^alert after\t1 failure in a row$/m);
  assert.match(made.stdout, /^secret\twhsec_\S+$/m);

  const tested = await jobd('channels', 'test', 'ops');
  assert.match(tested.stdout, /^[0-9a-f-]{36}\n$/);
  await until('the failure to be shown', async () => {
    const { stdout } = await jobd('channels', 'list');
    return /^ops\twebhook\tyes\ttest pending: http: 500, broken\t\S+\n$/.test(stdout);
  });
  const deliveries = await jobd('channels', 'deliveries', 'ops', '--json');
  const [delivery] = (JSON.parse(deliveries.stdout) as { deliveries: object[] }).deliveries;
  assert.partialDeepStrictEqual(delivery, { id: tested.stdout.trim(), event: 'test' });
  const attempts = await jobd('channels', 'deliveries', 'ops', tested.stdout.trim());
  assert.match(attempts.stdout, /^1\t20\S+Z\t\d+\t500\thttp: 500, broken\n$/);
  const asJson = await jobd('channels', 'deliveries', 'ops', tested.stdout.trim(), '--json');
  assert.partialDeepStrictEqual(JSON.parse(asJson.stdout), {
    delivery: { event: 'test', attempts: 1 },
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

test('invalid input is refused before any request, and secrets stay off the command line', async () => {
  const env = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  const create = ['channels', 'create', '--name', 'a', '--type', 'slack'];
  const rows: [args: string[], input: string, words: RegExp][] = [
    [create, '', /--config is required/],
    [[...create, '--config', '{"url":"x"}'], '', /--config must be @FILE or -/],
    [[...create, '--config', '-'], 'not json', /--config must hold one JSON object/],
    [[...create, '--config', '@/no/such'], '', /--config names a file that cannot be read/],
    [['channels', 'create', '--name', 'a', '--type', 'pager'], '', /--type must be one of webhook/],
    [[...create, '--config', '-', '--after-failures', '0'], '{}', /between 1 and 100, got 0/],
    [['channels', 'update', 'a', '--enable', '--disable'], '', /use either --enable or --disable/],
  ];
  for (const [args, input, words] of rows) {
    const { exitCode, stderr, stdout } = await runCommand(args, env, input);
    assert.match(stderr, words, args.join(' '));
    assert.deepEqual([exitCode, stdout], [2, ''], args.join(' '));
  }
});
