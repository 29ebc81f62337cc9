/** Monitors and channels as files, beside jobs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCommand } from '../../../support/running/command.ts';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';

const everyKind = `jobs:
  backup: { url: https://example.com/backup, cron: 0 0 1 1 * }
monitors:
  nightly: { name: Nightly, cron: 30 2 * * *, grace: 30m }
channels:
  ops:
    name: Ops
    type: webhook
    config: { url: 'https://example.com/\${HOOK}' }
    jobs: [backup]
    monitors: [nightly]
    also: [missed]
    remind-every: 1h
`;

test('monitors and channels are created, changed, renamed and removed like jobs', async (t) => {
  const { write, jobd, daemon } = await serveForFiles(t);
  const file = write('all.yaml', everyKind);
  const hook = { HOOK: 's3cret-one' };
  const applied = await jobd(hook, 'apply', '-f', file);
  assert.equal(
    assertEnds(applied, 0, /^3 created, 0 updated, 0 deleted; 0 the same\n$/),
    'created\tjob\tbackup\t-\ncreated\tmonitor\tnightly\t-\ncreated\tchannel\tops\t-\n',
  );
  assert.equal(assertEnds(await jobd(hook, 'apply', '-f', file), 0, /; 3 the same/), '');
  const idOf = async (noun: string, name: string): Promise<string> =>
    JSON.parse((await daemon.jobd(`${noun}s`, 'get', name, '--json')).stdout)[noun].id;
  const [monitor, channel] = [await idOf('monitor', 'Nightly'), await idOf('channel', 'Ops')];

  const other = { HOOK: 's3cret-two' };
  const changed = write(
    'changed.yaml',
    everyKind.replace('Nightly', 'Late').replace('name: Ops', 'name: Team').replace('30m', '1h'),
  );
  const diff = await jobd(other, 'diff', '-f', changed);
  const shown = assertEnds(diff, 1, /^0 to create, 2 to update, 0 to delete; 1 the same\n$/);
  assert.match(shown, /^\+\+\+ monitor nightly .*\n@@ .*\n-name: Nightly\n\+name: Late\n/m);
  assert.match(shown, /-grace: 30m\n\+grace: 1h\n/);
  assert.match(
    shown,
    / config:\n- {2}url: \(secret\)\n\+ {2}url: \(changed\)\n jobs:\n {3}- backup\n/,
  );
  const updated = await jobd(other, 'apply', '-f', changed);
  assert.equal(
    assertEnds(updated, 0, /0 created, 2 updated/),
    'updated\tmonitor\tnightly\tname graceSeconds\nupdated\tchannel\tops\tname config\n',
  );
  assert.deepEqual(
    [await idOf('monitor', 'Late'), await idOf('channel', 'Team')],
    [monitor, channel],
    'a renamed one is the same',
  );

  const exported = await daemon.jobd('export');
  const yaml = assertEnds(
    exported,
    0,
    /^exported 1 job, 1 monitor and 1 channel, with 1 variable to set\n$/,
  );
  const copy = write('exported.yaml', yaml);
  const value = { SECRET_OPS_URL: 'https://example.com/s3cret-two' };
  assert.equal(assertEnds(await jobd(value, 'diff', '-f', copy), 0, /; 3 the same/), '');
  const key = await runCommand(['key', 'create', '--permission', 'read'], daemon.env);
  const reader = { JOBD_API_KEY: key.stdout.trim() };
  const seen = await jobd({ ...reader, ...value }, 'diff', '-f', copy);
  assertEnds(seen, 0, /; 3 the same\nthe values of headers and config were not compared/);
  const differs = await jobd({ ...reader, ...hook }, 'diff', '-f', file);
  assertEnds(differs, 1, /^0 to create, 2 to update/);
  const refused = await jobd({ ...reader, ...hook }, 'apply', '-f', file);
  assertEnds(refused, 4, /^jobd: this key may only read/);

  await daemon.jobd('monitors', 'create', '--name', 'By hand', '--every', '1h');
  const fewer = write(
    'fewer.yaml',
    'jobs:\n  backup: { url: https://example.com/backup, cron: 0 0 1 1 * }\n',
  );
  const remark = /1 managed monitor and 1 managed channel are not in the files; --prune would/;
  assertEnds(await jobd({}, 'diff', '-f', fewer), 0, remark);
  const doomed = await jobd({}, 'diff', '-f', fewer, '--prune');
  assert.match(
    assertEnds(doomed, 1, /2 to delete/),
    /-config:\n- {2}secret: \(secret\)\n- {2}url: \(secret\)\n/,
  );
  const removed = await jobd({}, 'apply', '-f', fewer, '--prune', '--yes');
  assert.equal(
    assertEnds(removed, 0, /2 deleted; 1 the same/),
    'deleted\tchannel\tops\t-\ndeleted\tmonitor\tnightly\t-\n',
  );
  assert.match((await daemon.jobd('monitors', 'list')).stdout, /By hand/, 'it is never pruned');
  for (const { stdout, stderr } of [applied, diff, updated, exported, seen, differs, doomed]) {
    assert.doesNotMatch(stdout + stderr, /s3cret|whsec_/);
  }
});

test('a channel that names an unknown key is refused before anything is changed', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const hook = { HOOK: 'x' };
  const wrong = write('wrong.yaml', everyKind.replace('[backup]', '[backups]'));
  assertEnds(
    await jobd(hook, 'apply', '-f', wrong),
    2,
    /wrong\.yaml:6:3: channel ops: jobs names backups, which is not defined, did you mean backup\?\nnothing was changed\n$/,
  );
  assert.equal((await jobd({}, 'jobs', 'list')).stdout, '');
  await jobd(hook, 'apply', '-f', write('all.yaml', everyKind));
  const part = write('part.yaml', everyKind.slice(everyKind.indexOf('channels:')));
  assertEnds(await jobd(hook, 'diff', '-f', part), 0, /1 the same/);
  assertEnds(
    await jobd(hook, 'diff', '-f', part, '--prune'),
    2,
    /jobs names backup, which is not defined, define it under jobs:/,
  );
});
