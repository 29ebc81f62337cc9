/** Jobs as files: export, diff, apply and prune, within the rate limit. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startHeldSink } from '../../../support/fakes/held-sink.ts';
import { runCommand } from '../../../support/running/command.ts';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';
import { startProxy } from '../../../support/running/proxy.ts';

const twoJobs = `jobs:
  backup:
    name: Nightly backup
    url: https://example.com/backup?token=\${TOKEN}
    method: POST
    headers:
      Authorization: Bearer \${TOKEN}
      X-Plain: a
    body: '{"token": "\${TOKEN}"}'
    cron: 30 2 * * *
    timezone: UTC
  ping:
    url: https://example.com/ping
    every: 5m
`;

const timed = (name: string, when: string) =>
  `  ${name}:\n    url: https://example.com/\n    timezone: Europe/Paris\n    ${when}\n`;

test('a job whose time has passed is left out, and the others are created', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const past = timed('reminded', 'at: 2020-03-02 09:00') + timed('advent', 'not-after: 2020-12-24');
  const to = `jobs:\n${past}${timed('coming', 'cron: 0 9 * * *')}`;
  const file = write('jobs.yaml', to.replace('2020-12-24', "'2020-12-24 23:59'"));
  const over = /\nnot created, as its time has passed: advent, reminded\n$/;
  assertEnds(await jobd({}, 'diff', '-f', file), 1, over);
  const done = assertEnds(await jobd({}, 'apply', '-f', file), 0, over);
  assert.equal(done, 'created\tjob\tcoming\t-\n');
  const again = await jobd({}, 'apply', '-f', file);
  assertEnds(again, 0, /^0 created, 0 updated, 0 deleted; 1 the same\nnot created, /);
});

test('apply creates jobs from files, and diff shows only changed fields', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const file = write('jobs.yaml', twoJobs);
  const token = { TOKEN: 's3cret-one' };
  assertEnds(
    await jobd({}, 'diff', '-f', file),
    2,
    /jobs\.yaml:4:10: url: the variable TOKEN is not set/,
  );
  const planned = assertEnds(
    await jobd(token, 'diff', '-f', file),
    1,
    /^2 to create, 0 to update, 0 to delete; 0 the same\n$/,
  );
  assert.match(
    planned,
    /^--- \/dev\/null\n\+\+\+ job backup \(.*jobs\.yaml:2:3\)\n@@ -0,0 \+1,9 @@\n\+name: Nightly backup\n/,
  );
  assert.match(planned, /\+ {2}Authorization: \(secret\)\n/);
  assertEnds(await jobd(token, 'apply', '-f', file, '--dry-run'), 0, /2 to create/);
  assert.equal((await daemon.jobd('jobs', 'list')).stdout, '');

  assert.equal(
    assertEnds(
      await jobd(token, 'apply', '-f', file),
      0,
      /^2 created, 0 updated, 0 deleted; 0 the same\n$/,
    ),
    'created\tjob\tbackup\t-\ncreated\tjob\tping\t-\n',
  );
  assert.equal(
    assertEnds(
      await jobd(token, 'diff', '-f', file),
      0,
      /0 to create, 0 to update, 0 to delete; 2 the same/,
    ),
    '',
  );
  assert.equal(assertEnds(await jobd(token, 'apply', '-f', file), 0, /0 created/), '');

  const changed = write(
    'tâches.yaml', // shown as it is, not quoted
    twoJobs.replace('30 2', '45 3').replace('    every: 5m', '    every: 10m'),
  );
  const other = { TOKEN: 's3cret-two' };
  const diff = assertEnds(await jobd(other, 'diff', '-f', changed), 1, /0 to create, 2 to update/);
  assert.match(diff, /^\+\+\+ job ping \(.*\/tâches\.yaml:\d+:3\)\n@@ -1,2 \+1,2 @@\n/m);
  assert.match(diff, /-every: 5m\n\+every: 10m\n/);
  assert.match(
    diff,
    /- {2}Authorization: \(secret\)\n\+ {2}Authorization: \(changed\)\n {3}X-Plain: \(secret\)\n/,
  );
  assert.match(
    diff,
    /-body: \(secret\)\n-cron: 30 2 \* \* \*\n\+body: \(changed\)\n\+cron: 45 3 \* \* \*\n/,
  );
  assert.match(
    diff,
    /-url: \(secret\)\n\+url: https:\/\/example\.com\/backup\?token=\$\{TOKEN\}\n/,
  );
  const json = await jobd(other, 'diff', '-f', changed, '--json');
  const { changes, counts } = JSON.parse(json.stdout) as {
    changes: { fields: string[] }[];
    counts: object;
  };
  assert.deepEqual(changes[0]?.fields, ['url', 'headers', 'body', 'schedule']);
  assert.deepEqual(counts, {
    create: 0,
    update: 2,
    delete: 0,
    adopt: 0,
    unchanged: 0,
    over: 0,
    refused: 0,
    unlisted: 0,
  });
  const applied = await jobd(other, 'apply', '-f', changed);
  assert.equal(
    assertEnds(applied, 0, /0 created, 2 updated/),
    'updated\tjob\tbackup\turl headers body schedule\nupdated\tjob\tping\tschedule\n',
  );
  for (const said of [planned, diff, json.stdout, json.stderr, applied.stdout, applied.stderr]) {
    assert.doesNotMatch(said, /s3cret/);
    assert.ok(!said.includes('\u001b'), 'no colours in a pipe');
  }
});

test('exported files show only what is to adopt, and jobs made by hand are adopted without duplicates', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const file = write('jobs.yaml', twoJobs);
  const token = { TOKEN: 's3cret' };
  await jobd(token, 'apply', '-f', file);
  const create = [
    'jobs',
    'create',
    '--url',
    'https://example.com/?a=${b}',
    '--name',
    'By hand',
    '--every',
    '1h',
  ];
  await daemon.jobd(...create, '--header', 'X-A: one', '--timeout', '7', '--notes', 'a\n\n b');
  await daemon.jobd(
    ...create,
    '--method',
    'PUT',
    '--data',
    'file:x',
    '--paused',
    '--allow-duplicate',
  );

  const exported = await daemon.jobd('export');
  const yaml = assertEnds(exported, 0, /^exported 4 jobs, with 3 variables to set\n$/);
  assert.equal((await daemon.jobd('export')).stdout, yaml);
  const values = {
    SECRET_BACKUP_AUTHORIZATION: 'Bearer s3cret',
    SECRET_BACKUP_X_PLAIN: 'a',
    SECRET_BY_HAND_X_A: 'one',
  };
  for (const name of Object.keys(values)) assert.match(yaml, new RegExp(`^#   ${name}$`, 'm'));
  const copy = write('exported.yaml', yaml);
  const same = await jobd(values, 'diff', '-f', copy);
  assert.equal(
    assertEnds(
      same,
      1,
      /0 to create, 0 to update, 0 to delete, 2 to adopt as they are; 2 the same/,
    ),
    '',
  );
  const key = await runCommand(['key', 'create', '--permission', 'read'], daemon.env);
  const reader = { ...values, JOBD_API_KEY: key.stdout.trim() };
  const seen = await jobd(reader, 'diff', '-f', copy);
  assert.equal(assertEnds(seen, 1, /2 to adopt as they are; 2 the same/), '');
  assertEnds(await jobd(values, 'apply', '-f', file, '--dry-run'), 2, /TOKEN is not set/);

  const pruned = await jobd(token, 'apply', '-f', file, '--prune', '--yes');
  assertEnds(pruned, 0, /0 deleted; 2 the same/);
  assert.equal(
    (await daemon.jobd('jobs', 'list')).stdout.split('\n').length,
    5,
    'jobs made by hand are never pruned',
  );
  assert.equal(
    assertEnds(await jobd(values, 'apply', '-f', copy), 0, /2 adopted; 2 the same/),
    'adopted\tjob\tby-hand\t-\nadopted\tjob\tby-hand-2\t-\n',
  );
  assertEnds(await jobd(values, 'diff', '-f', copy), 0, /; 4 the same/);
  assert.doesNotMatch((await daemon.jobd('export')).stdout, /adopt/);

  const remark = /2 managed jobs are not in the files; --prune would delete them/;
  assertEnds(await jobd(token, 'diff', '-f', file), 0, remark);
  const doomed = assertEnds(
    await jobd(token, 'diff', '-f', file, '--prune'),
    1,
    /0 to update, 2 to delete; 2 the same/,
  );
  assert.match(
    doomed,
    /^--- job by-hand \(server\)\n\+\+\+ \/dev\/null\n@@ -1,\d+ \+0,0 @@\n-name: By hand\n-url: https:\/\/example\.com\/\?\(secret\)\n/,
  );
  assert.match(doomed, /-method: PUT\n-body: \(secret\)\n/);
  assertEnds(
    await jobd(token, 'apply', '-f', file, '--prune'),
    2,
    /Delete 2 jobs .*: job by-hand, job by-hand-2\? Use --yes/,
  );
  assert.equal(
    assertEnds(await jobd(token, 'apply', '-f', file, '--prune', '--yes'), 0, /2 deleted/),
    'deleted\tjob\tby-hand\t-\ndeleted\tjob\tby-hand-2\t-\n',
  );
});

test('a definition that the server refuses is reported with its place; the rest of the plan is not started', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const file = write(
    'jobs.yaml',
    'jobs:\n  a: { url: https://example.com/ }\n  b: { url: "http://10.0.0.1/" }\n',
  );
  assertEnds(
    await jobd({}, 'diff', '-f', file),
    2,
    /^jobd: .*jobs\.yaml:3:3: job b: url .*10\.0\.0\.1/,
  );
  assertEnds(await jobd({}, 'apply', '-f', file), 2, /nothing was changed/);
  assert.equal((await jobd({}, 'jobs', 'list')).stdout, '');
});

const many = (count: number): string => {
  const lines = Array.from(
    { length: count },
    (_, index) => `  k${index}: { url: "https://example.com/${index}", cron: "0 0 1 1 *" }`,
  );
  return `jobs:\n${lines.join('\n')}\n`;
};

test('hundreds of jobs take a few requests; rate-limited ones are sent again', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const file = write('jobs.yaml', many(250));
  const asked: string[] = [];
  const url = await startProxy(t, daemon.url, (what, count) => {
    asked.push(what);
    return count === 1 ? { status: 429, headers: { 'retry-after': '1' } } : null;
  });
  const env = { JOBD_URL: url };
  const applied = await jobd(env, 'apply', '-f', file);
  assertEnds(applied, 0, /250 created, 0 updated, 0 deleted; 0 the same\n$/);
  assert.match(applied.stderr, /^[^\n]+; waiting\n/);
  assert.ok(asked.length <= 3, `${asked.length} requests`);
  assertEnds(await jobd(env, 'diff', '-f', file), 0, /250 the same/);
  const fewer = write('fewer.yaml', many(10));
  assertEnds(
    await jobd(env, 'apply', '-f', fewer, '--prune', '--yes'),
    0,
    /240 deleted; 10 the same/,
  );
});

test('after a lost answer, applying again creates no duplicates', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const file = write('jobs.yaml', many(50));
  const url = await startProxy(t, daemon.url, (_, count) => (count === 1 ? 'cut' : null));
  assertEnds(await jobd({ JOBD_URL: url }, 'apply', '-f', file), 7, /^jobd: no answer from/);
  const again = await jobd({ JOBD_URL: url }, 'apply', '-f', file);
  assertEnds(again, 0, /^\d+ created, 0 updated, 0 deleted; \d+ the same\n$/);
  const { stdout } = await jobd({}, 'jobs', 'list');
  assert.equal(stdout.trimEnd().split('\n').length, 50);
});

test('an apply that stops halfway says what was done and what was not', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const sink = await startHeldSink(t);
  const file = write('a.yaml', `jobs:\n  busy: { url: "${sink.url}", cron: "0 0 1 1 *" }\n`);
  assertEnds(await jobd({}, 'apply', '-f', file), 0, /1 created/);
  await jobd({}, 'jobs', 'run', 'busy');
  await sink.waitFor(1);
  const more = `jobs:
  busy: { url: "${sink.url}", notes: a }
  next: { url: "https://example.com/", after: busy }
channels:
  chat: { type: slack, config: { url: "https://example.com/" } }
`;
  const half = await jobd({}, 'apply', '-f', write('b.yaml', more));
  const words =
    /b\.yaml:2:3: job busy: run \S+ of this job is still executing[^]*not done: job next, channel chat; what was done stays, apply again to continue/;
  assertEnds(half, 5, words);
  assert.equal(half.stdout, '');
  sink.release();
  assertEnds(await jobd({}, 'apply', '-f', join(daemon.dataDir, 'b.yaml')), 0, /2 created, 1 upd/);
});

test('more than the server takes at once is refused with the place of the largest', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const large = many(30).replaceAll(' }', `, method: POST, body: ${'x'.repeat(32_000)} }`);
  const files = ['a', 'b'].map((key) => write(`${key}.yaml`, large.replaceAll('  k', `  ${key}`)));
  const said =
    /have 1\.8 MiB, at most 1 MiB .*largest is job \S+ at \S+yaml:\d+:3 with 31 KiB: apply one file/;
  assertEnds(await jobd({}, 'diff', ...files.flatMap((file) => ['-f', file])), 2, said);
  const numerous = write('c.yaml', many(1_001));
  assertEnds(await jobd({}, 'diff', '-f', numerous), 2, /have 1001 definitions, at most 1000/);
});

test('an answer that stays 429 and unreadable files have their own exit codes', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  assertEnds(await jobd({}, 'diff', '-f', 'none.yaml'), 2, /there is no file none\.yaml\n/);
  assertEnds(await jobd({}, 'diff'), 2, /--file/);
  const url = await startProxy(t, daemon.url, () => ({
    status: 429,
    headers: { 'retry-after': '0' },
  }));
  const file = write('jobs.yaml', 'jobs: {}\n');
  const refused = await jobd({ JOBD_URL: url }, 'diff', '-f', file);
  assertEnds(refused, 6, /(.*; waiting\n){10}jobd: as the test says\n$/);
  const piped = await runCommand(
    ['diff', '-f', '-'],
    daemon.env,
    'jobs:\n  a: { url: https://example.com/ }\n',
  );
  assert.match(assertEnds(piped, 1, /1 to create/), /\+\+\+ job a \(-:2:3\)/);
});
