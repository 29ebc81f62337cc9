import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { runCommand } from '../../support/running/command.ts';
import { startTestDaemon } from '../../support/running/daemon.ts';

const url = 'http://127.0.0.1:1/';

test('the calls of a file are made, a hundred in a request, and none twice', async (t) => {
  const daemon = await startTestDaemon(t);
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const create = (input: string, ...args: string[]) =>
    runCommand(['calls', 'create', ...args, '-'], env, input);
  const jobs = async () => (await daemon.ask('GET', '/me')).body.usage.jobs;
  const lines = Array.from({ length: 130 }, (_, index) =>
    JSON.stringify({ key: `k${index}`, url, inSeconds: 3_600 }),
  );
  const made = await create(`${lines.join('\n')}\n\n`, '--json');
  assert.equal(made.exitCode, 0, made.stderr);
  const { results } = JSON.parse(made.stdout);
  assert.equal(results.length, 130);
  assert.ok(results.every(({ isNew }: { isNew: boolean }) => isNew));
  assert.equal(await jobs(), 130);

  const file = join(temporaryDirectory(t), 'calls.json');
  writeFileSync(file, `[${lines.slice(0, 1).join()},{"key":"new","url":"ftp://a","inSeconds":1}]`);
  const again = await runCommand(['calls', 'create', file], env);
  assert.equal(again.exitCode, 5, again.stderr);
  const [first, second] = again.stdout.split('\n');
  assert.equal(first, `k0\t${results[0].id}\t-`);
  assert.match(second ?? '', /^new\t-\turl /);
  assert.match(again.stderr, /^created 0 jobs, 1 was there already, 1 refused$/m);
  const pretty = JSON.stringify({ calls: [{ key: 'k0', url }] }, null, 2);
  assert.equal((await create(pretty)).stdout, `${first}\n`, 'as the API takes it');
  assert.equal(await jobs(), 130);

  const wrong: [input: string, words: RegExp][] = [
    ['', /: standard input must have at least one call/],
    [`${lines[0]}\n{"key":`, /: line 2 of standard input must be JSON: Unexpected end/],
    [`${lines[0]}\n{"key": "a" x}`, /: line 2 of standard input must be JSON: .* at column 13$/m],
    [`[${lines[0]},\n{"key": "a" x}]`, /: standard input must be JSON: .* \(line 2 column 13\)$/m],
    [`${lines.slice(0, 100).join('\n')}\n{"key":"a"}`, /call 101: url is required/],
    ['5', /call 1 must be an object, got 5/],
    [
      `{"key":"a","url":"${url}","in":60}`,
      /call 1: in is not a known field, did you mean inSeconds\?/,
    ],
    [
      `{"key":"a","url":"${url}","timeoutSeconds":"5"}`,
      /call 1: timeoutSeconds must be an integer/,
    ],
  ];
  for (const [input, words] of wrong) {
    const { exitCode, stderr } = await create(input);
    assert.match(stderr, words);
    assert.equal(exitCode, 2, stderr);
  }
  const none = await runCommand(['calls', 'create', `${file}.none`], env);
  const said = `jobd: there is no file ${file}.none\n`;
  assert.deepEqual([none.exitCode, none.stdout, none.stderr], [2, '', said]);
  writeFileSync(file, '');
  const empty = await runCommand(['calls', 'create', file], env);
  assert.equal(empty.stderr, `jobd: ${file} must have at least one call\n`);
});

test('long calls are sent in parts that one request has room for', async (t) => {
  const daemon = await startTestDaemon(t);
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key };
  const long = { url, method: 'POST', body: 'ü'.repeat(30_000), inSeconds: 60 };
  const calls = Array.from({ length: 9 }, (_, index) => ({ key: `k${index}`, ...long }));
  const ran = await runCommand(['calls', 'create', '-'], env, JSON.stringify(calls));
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.equal((await daemon.ask('GET', '/me')).body.usage.jobs, 9);
  // The last of two parts is refused whole.
  const bad = [...calls.map((call) => ({ ...call, key: `again-${call.key}` })), { key: 'bad' }];
  const stopped = await runCommand(['calls', 'create', '-'], env, JSON.stringify(bad));
  assert.match(
    stopped.stderr,
    /^stopped: sent [1-9] of 10 calls; the file can be sent again\njobd: call 10: /m,
  );
});

test('a time without an offset is one of the zone of the machine, unless a call names another', async (t) => {
  const daemon = await startTestDaemon(t);
  const env = { JOBD_URL: daemon.url, JOBD_API_KEY: daemon.key, TZ: 'Asia/Tokyo' };
  const day = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const rows = [
    [{ runAt: `${day} 09:00` }, `${day}T00:00:00.000Z`],
    [{ runAt: `${day} 09:00`, timezone: 'UTC' }, `${day}T09:00:00.000Z`],
    [{ runAt: `${day}T09:00:00Z` }, `${day}T09:00:00.000Z`],
  ] as const;
  const lines = rows.map(([when], index) => JSON.stringify({ key: `k${index}`, url, ...when }));
  const { stderr } = await runCommand(['calls', 'create', '-'], env, lines.join('\n'));
  assert.equal(stderr, 'created 3 jobs\n');
  const { jobs } = (await daemon.ask('GET', '/jobs')).body;
  const due = jobs.map((job: { name: string; nextRunAt: string }) => [job.name, job.nextRunAt]);
  assert.deepEqual(
    due.toSorted(),
    rows.map(([, dueAt], index) => [`k${index}`, dueAt]),
  );
});
