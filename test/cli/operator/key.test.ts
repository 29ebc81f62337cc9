/** Keys, made and revoked from the shell while the daemon runs (docs/behavior.md#keys). */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { runCommand, serveCommand, type ServedDaemon } from '../../support/running/command.ts';
import { makeStore } from '../../support/running/prepare.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { until } from '../../support/until.ts';

/** The cells of piped lines. */
function cells(stdout: string): string[][] {
  const lines = stdout.split('\n');
  assert.equal(lines.pop(), '', 'the last line ends');
  return lines.map((line) => line.split('\t'));
}

async function statusWith({ url }: ServedDaemon, key: string): Promise<number> {
  const response = await fetch(`${url}/api/v1/jobs`, {
    headers: { authorization: `Bearer ${key}` },
  });
  await response.text();
  return response.status;
}

test('keys from the shell', async (t) => {
  const daemon = await serveCommand(t);
  const { jobd, dataDir } = daemon;

  const created = await jobd(
    'key',
    'create',
    '--name',
    'lap\u001b[31mtop\n',
    '--permission',
    'read',
  );
  const key = created.stdout.trim();

  await t.test('a new key is printed alone, and works at once', async () => {
    assert.equal(created.exitCode, 0, created.stderr);
    assert.match(created.stdout, /^cp_[0-9a-f]{64}\n$/);
    assert.equal(created.stderr, '');
    assert.equal(await statusWith(daemon, key), 200);
  });

  await t.test('where the key works is said, unless commands ask there anyway', async () => {
    const elsewhere = await runCommand(['key', 'create', '--read'], { JOBD_DATA: dataDir });
    const site = daemon.url;
    assert.equal(elsewhere.stderr, `it is for ${site}: jobd login --url ${site}\n`);
    const { keys } = JSON.parse((await jobd('key', 'list', '--json')).stdout) as {
      keys: { id: string; permission: string; name: string }[];
    };
    const made = keys.find(({ name, permission }) => name === '' && permission === 'read');
    assert.ok(made);
    assert.equal((await jobd('key', 'revoke', made.id, '--yes')).exitCode, 0);
  });

  await t.test('a read-only key may not create jobs: 4', async () => {
    const args = ['jobs', 'create', '--name', 'a', '--url', 'http://127.0.0.1:1/', '--every', '1h'];
    const { exitCode, stderr } = await runCommand(args, { ...daemon.env, JOBD_API_KEY: key });
    assert.equal(exitCode, 4);
    assert.match(stderr, /may only read/);
  });

  await t.test('--json shows everything about a new key, in one document', async () => {
    const given = ['--name', 'ci', '--expires', '2126-01-31T01:00:00+01:00'];
    const { stdout } = await jobd('key', 'create', ...given, '--json');
    const made = JSON.parse(stdout) as Record<string, unknown>;
    assert.match(String(made['key']), /^cp_[0-9a-f]{64}$/);
    assert.match(String(made['createdAt']), /^\d{4}-.*Z$/);
    const { name, permission, workspace, lastUsedAt, expiresAt, revokedAt } = made;
    assert.deepEqual([name, permission, workspace], ['ci', 'write', 'default']);
    assert.deepEqual([lastUsedAt, expiresAt, revokedAt], [null, '2126-01-31T00:00:00.000Z', null]);
  });

  await t.test("the list shows every key's data but never the key itself", async () => {
    const list = await until('the uses', async () => {
      const listed = await jobd('key', 'list');
      assert.equal(listed.exitCode, 0);
      return /laptop.*read\t\S+\t\d{4}-\S+Z\t/.test(listed.stdout) ? listed : null;
    });
    const rows = cells(list.stdout).map((row) => row.slice(0, -1).toSpliced(3, 2));
    assert.deepEqual(rows, [
      ['-', 'default', 'write', '-', '-'],
      ['laptop ', 'default', 'read', '-', '-'],
      ['ci', 'default', 'write', '2126-01-31T00:00:00.000Z', '-'],
    ]);
    const uses = cells(list.stdout).map((row) => row[4]);
    assert.deepEqual([uses[0], uses[2]], ['-', '-'], 'these were never used');
    const asJson = await jobd('key', 'list', '--json');
    const { keys } = JSON.parse(asJson.stdout) as { keys: Record<string, unknown>[] };
    const shown = [
      'createdAt',
      'expiresAt',
      'id',
      'lastUsedAt',
      'name',
      'permission',
      'revokedAt',
      'workspace',
      'workspaceId',
    ];
    assert.deepEqual(Object.keys(keys[0] ?? {}).toSorted(), shown);
    for (const { stdout } of [list, asJson]) {
      assert.doesNotMatch(stdout, /cp_/);
      assert.ok(!stdout.includes(key.slice(3)));
    }
  });

  await t.test('no file of the store contains a key', () => {
    const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
    assert.ok(files.length > 0);
    assert.ok(files.every((file) => !file.includes(key.slice(3))));
    assert.ok(
      files.some((file) => file.includes('top')),
      'they are the files that hold the label',
    );
  });

  await t.test('revoking asks first; without a terminal it refuses and does nothing', async () => {
    const id = cells((await jobd('key', 'list')).stdout)[1]?.[7] ?? '';
    const refused = await jobd('key', 'revoke', id);
    assert.equal(refused.exitCode, 2);
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, new RegExp(`Revoke key laptop {2}\\(${id}\\) for good.*--yes`));
    assert.equal(await statusWith(daemon, key), 200);

    const done = await jobd('key', 'revoke', id, '--yes');
    assert.deepEqual(done, { exitCode: 0, stdout: '', stderr: `revoked laptop  (${id})\n` });
    assert.equal(await statusWith(daemon, key), 401, 'the running daemon knows it');
    const used = await runCommand(['jobs', 'list'], { ...daemon.env, JOBD_API_KEY: key });
    assert.equal(used.exitCode, 4);
    assert.match(cells((await jobd('key', 'list', '--all')).stdout)[1]?.[6] ?? '', /^\d{4}-.*Z$/);

    const again = await jobd('key', 'revoke', id, '--yes');
    assert.equal(again.exitCode, 3);
    assert.match(again.stderr, /no active key with id/);
  });

  await t.test('an unknown workspace exits with 3, a label that is too long with 2', async () => {
    const nowhere = await jobd('key', 'create', '--workspace', 'nowhere');
    assert.equal(nowhere.exitCode, 3);
    assert.match(nowhere.stderr, /no workspace named nowhere/);
    const long = await jobd('key', 'create', '--name', 'x'.repeat(121));
    assert.equal(long.exitCode, 2);
    assert.match(long.stderr, /name must be at most 120 characters, got 121/);
    assert.equal(nowhere.stdout + long.stdout, '', 'no key is printed');
  });
});

test('a name is given to one active key of a workspace, and revoked keys are listed with --all', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  const create = (...args: string[]) => jobd('key', 'create', ...args);
  assert.equal((await create('--name', 'ci')).exitCode, 0);
  const [[, , , , , , , id = ''] = []] = cells((await jobd('key', 'list')).stdout);
  const again = await create('--name', 'ci');
  assert.deepEqual([again.exitCode, again.stdout], [5, '']);
  assert.ok(again.stderr.includes(`jobd key revoke ${id}`), again.stderr);

  assert.equal((await jobd('workspace', 'create', 'staging')).exitCode, 0);
  for (const args of [
    ['--name', 'ci', '--workspace', 'staging'],
    ['--name', 'ci', '--allow-duplicate'],
    ['--name', 'CI'],
    [],
    [],
  ]) {
    assert.equal((await create(...args)).exitCode, 0, args.join(' '));
  }
  const ids = cells((await jobd('key', 'list')).stdout).filter((row) => row[0] === 'ci');
  for (const [each = ''] of ids.map((row) => row.slice(7)))
    await jobd('key', 'revoke', each, '--yes');
  assert.equal((await create('--name', 'ci')).exitCode, 0, 'revoked keys do not count');
  assert.equal(cells((await jobd('key', 'list')).stdout).length, 4);
  assert.equal(cells((await jobd('key', 'list', '--all')).stdout).length, 7);
  const { keys } = JSON.parse((await jobd('key', 'list', '--all', '--json')).stdout);
  assert.equal(keys.filter(({ revokedAt }: { revokedAt: string | null }) => revokedAt).length, 3);
});

test('the name of an expired key is free', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const create = (...args: string[]) =>
    runCommand(['key', 'create', '--name', 'ci', ...args], { JOBD_DATA: dataDir });
  assert.equal((await create('--expires', '1s')).exitCode, 0);
  await until('it expires', async () => (await create()).exitCode === 0);
});

test('a key is revoked by its name or the beginning of its id, if only one fits', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  const revoke = (text: string) => jobd('key', 'revoke', text, '--yes');
  const idsOf = async (): Promise<string[]> =>
    cells((await jobd('key', 'list')).stdout).map((row) => row[7] ?? '');
  await jobd('key', 'create', '--name', 'ci');
  await jobd('key', 'create', '--name', 'ci', '--read', '--allow-duplicate');
  await jobd('key', 'create');
  const [first = '', second = '', nameless = ''] = await idsOf();

  const either = await revoke('ci');
  assert.deepEqual([either.exitCode, either.stdout], [2, '']);
  const [sentence, ...candidates] = either.stderr.trimEnd().split('\n');
  assert.equal(sentence, 'jobd: 2 active keys are named ci: use an id');
  assert.match(
    candidates[0] ?? '',
    new RegExp(`^ {2}${first} {2}ci {2}write {2}default {2}created`),
  );
  assert.match(
    candidates[1] ?? '',
    new RegExp(`^ {2}${second} {2}ci {2}read {2}default {2}created`),
  );
  const begun = await revoke(first.slice(0, 4));
  assert.deepEqual([begun.exitCode, begun.stderr.split('\n').length], [2, 5]);
  const none = await revoke('cj');
  assert.deepEqual(
    [none.exitCode, none.stderr],
    [3, 'jobd: there is no active key named cj; did you mean ci?\n'],
  );
  // A script whose variable is empty revokes nothing.
  assert.equal((await revoke('')).exitCode, 2);
  assert.equal((await idsOf()).length, 3, 'nothing was revoked so far');

  assert.equal((await revoke(nameless.slice(0, 35))).stderr, `revoked ${nameless}\n`);
  assert.equal((await revoke(second.toUpperCase())).exitCode, 0);
  assert.equal((await revoke('ci')).stderr, `revoked ci (${first})\n`);
  assert.deepEqual(await jobd('key', 'list'), {
    exitCode: 0,
    stdout: '',
    stderr: 'all keys are revoked: --all lists them\n',
  });
});

test('the name of an expired key means the live key that has it now', async (t) => {
  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const jobd = (...args: string[]) => runCommand(args, { JOBD_DATA: dataDir });
  await jobd('key', 'create', '--name', 'ci', '--expires', '1s');
  await until(
    'it expires',
    async () => (await jobd('key', 'create', '--name', 'ci')).exitCode === 0,
  );
  const [, live] = cells((await jobd('key', 'list')).stdout);
  assert.equal((await jobd('key', 'revoke', 'ci', '--yes')).stderr, `revoked ci (${live?.[7]})\n`);
});
