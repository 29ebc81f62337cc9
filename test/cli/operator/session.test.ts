/** Sessions of browsers, listed and ended from the shell while the daemon runs (docs/behavior.md#session-3). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn } from '../../support/running/browser.ts';
import { serveCommand } from '../../support/running/command.ts';

test('sessions are listed and ended from the shell', async (t) => {
  const { jobd, url } = await serveCommand(t);
  assert.equal((await jobd('session', 'list')).stdout, '');
  const key = (await jobd('key', 'create', '--name', 'lap\u001b[31mtop')).stdout.trim();
  const code = (await jobd('open')).stdout.trim().split('#code=')[1] ?? '';
  const user = await signIn(url, { key });
  const owner = await signIn(url, { code });

  const listed = await jobd('session', 'list');
  const rows = listed.stdout.trimEnd().split('\n');
  const cells = rows.map((line) => line.split('\t'));
  assert.deepEqual(
    cells.map((row) => row.slice(0, 3)),
    [
      ['laptop', 'default', 'write'],
      ['jobd open', 'default', 'owner'],
    ],
  );
  for (const row of cells) assert.match(row.slice(3, 6).join(' '), /^(?:\d{4}-\S+Z ?){3}$/);
  const { sessions } = JSON.parse((await jobd('session', 'list', '--json')).stdout);
  assert.deepEqual(Object.keys(sessions[1]).toSorted(), [
    'createdAt',
    'expiresAt',
    'id',
    'isOwner',
    'keyId',
    'lastSeenAt',
    'name',
    'permission',
    'workspace',
    'workspaceId',
  ]);

  const id = cells[0]?.[6] ?? '';
  assert.equal((await user.ask('GET', '/session')).status, 200);
  const asked = await jobd('session', 'end', 'jobd open');
  assert.equal(asked.exitCode, 2);
  assert.match(asked.stderr, /End session jobd open \(\S{36}\)\?.*--yes/);
  // Both were begun in the same minute, so their ids begin alike.
  const either = await jobd('session', 'end', id.slice(0, 4), '--yes');
  assert.deepEqual([either.exitCode, either.stdout], [2, '']);
  assert.match(either.stderr, /^jobd: the ids of 2 sessions begin with \S+: use more of it\n/);
  assert.match(
    either.stderr,
    /\n {2}\S{36} {2}jobd open {2}owner {2}default {2}created (?:now|.* ago)\n$/,
  );
  const ended = await jobd('session', 'end', id.slice(0, 35), '--yes');
  assert.deepEqual([ended.exitCode, ended.stderr], [0, `ended laptop (${id})\n`]);
  assert.equal((await user.ask('GET', '/session')).status, 401);
  assert.equal((await owner.ask('GET', '/session')).status, 200);
  const { entries } = (await owner.ask('GET', '/audit?action=session.end')).body as {
    entries: { actor: { type: string }; subject: { id: string } }[];
  };
  assert.deepEqual(
    entries.map(({ actor, subject }) => [actor.type, subject.id]),
    [['command', id]],
  );

  const refusals: [string[], number, RegExp][] = [
    [[id, '--yes'], 3, /there is no session with id/],
    [['--yes'], 2, /name a session, or use --all/],
    [[id, '--all', '--yes'], 2, /name a session, or use --all/],
    [['laptop', '--yes'], 3, /there is no session named laptop; jobd session list shows them/],
    [['', '--yes'], 2, /name the session/],
    [['--all'], 2, /--yes/],
  ];
  for (const [args, exitCode, words] of refusals) {
    const refused = await jobd('session', 'end', ...args);
    assert.deepEqual([refused.exitCode, refused.stdout], [exitCode, '']);
    assert.match(refused.stderr, words);
  }
  const all = await jobd('session', 'end', '--all', '--yes');
  assert.equal(all.stderr, 'ended 1 session\n');
  assert.equal((await owner.ask('GET', '/session')).status, 401);
});
