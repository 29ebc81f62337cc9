/** Accounts and workspaces from the shell, while the daemon runs (docs/behavior.md#plans). */

import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { createKey } from '../../../src/app/accounts/keys.ts';
import { openTestLocal } from '../../support/running/local.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import { makeStore } from '../../support/running/prepare.ts';
import type { Ran } from '../../support/running/program.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { until } from '../../support/until.ts';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const day = 86_400_000;

/** Commands on their own data directory, without a daemon. */
async function withStore(t: TestContext) {
  const dataDir = temporaryDirectory(t);
  await makeStore(dataDir);
  const jobd = (...args: string[]): Promise<Ran> => runCommand(args, { JOBD_DATA: dataDir });
  return Object.assign(jobd, { dataDir });
}

/** What a command prints in a pipe: one field per line. */
function fields({ exitCode, stdout, stderr }: Ran): Record<string, string> {
  assert.equal(exitCode, 0, stderr);
  const lines = stdout.trimEnd().split('\n');
  return Object.fromEntries(lines.map((line) => line.split('\t')));
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read it as a script would
function json({ exitCode, stdout, stderr }: Ran): any {
  assert.equal(exitCode, 0, stderr);
  return JSON.parse(stdout);
}

test('accounts can be created, listed, shown and changed without a daemon', async (t) => {
  const jobd = await withStore(t);
  const list = await jobd('account', 'list');
  assert.match(list.stdout, /^default\tself-hosted\tactive\t-\t\d{4}-\S+Z\n$/);

  const made = fields(await jobd('account', 'create', 'acme', '--plan', 'pro'));
  assert.deepEqual(Object.keys(made), ['id', 'name', 'plan', 'status', 'until', 'created']);
  const { name, plan, status } = made;
  assert.deepEqual([name, plan, status, made['until']], ['acme', 'pro', 'active', '-']);
  assert.match(made['created'] ?? '', time);

  const free = json(await jobd('account', 'create', 'small', '--json'));
  assert.deepEqual([free.plan, free.status, free.expiresAt], ['free', 'active', null]);
  const trial = json(await jobd('account', 'create', 'new', '--trial-days', '14', '--json'));
  assert.equal(trial.status, 'trial');
  assert.equal(trial.trialEndsAt, trial.expiresAt);
  assert.equal(Date.parse(trial.expiresAt) - Date.parse(trial.createdAt), 14 * day);

  const changed = fields(await jobd('account', 'set-plan', 'acme', 'business'));
  assert.deepEqual(changed, { ...made, plan: 'business' });
  const shown = json(await jobd('account', 'show', 'acme', '--json'));
  assert.deepEqual(
    [shown.limits.jobs, shown.limits.maxTimeoutSeconds, shown.limits.retentionDays],
    [1_000, 60, 365],
  );
  assert.deepEqual(shown.usage, { jobs: 0, monitors: 0, results: 0, keys: 0 });
  const plain = fields(await jobd('account', 'show', 'acme'));
  assert.equal(plain['jobs'], '0 of 1000, monitors included');
  assert.equal(plain['keys'], '0 of 20');

  const all = json(await jobd('account', 'list', '--json'));
  const names = all.accounts.map((account: { name: string }) => account.name);
  assert.deepEqual(names, ['default', 'acme', 'small', 'new']);
});

test('trials and subscriptions can start, end and start again', async (t) => {
  const jobd = await withStore(t);
  await jobd('account', 'create', 'acme', '--plan', 'pro', '--trial-days', '1');
  const future = new Date(Date.now() + 30 * day).toISOString();
  const past = new Date(Date.now() - day).toISOString();
  const rows: [args: string[], status: string, expiresAt: string | null, onTrial: boolean][] = [
    [['trial', 'acme', '--until', future], 'trial', future, true],
    [['trial', 'acme', '--until', past], 'expired', past, true],
    [['cancel', 'acme'], 'expired', past, true],
    [['subscribe', 'acme', '--until', '2126-01-31T01:00+01:00'], 'active', farOff, false],
    [['subscribe', 'acme', '--until', past], 'expired', past, false],
    [['subscribe', 'acme'], 'active', null, false],
  ];
  for (const [args, status, expiresAt, onTrial] of rows) {
    const account = json(await jobd('account', ...args, '--json'));
    const what = args.join(' ');
    assert.deepEqual([account.status, account.expiresAt], [status, expiresAt], what);
    assert.equal(account.trialEndsAt, onTrial ? expiresAt : null, what);
  }
  const before = Date.now();
  const cancelled = json(await jobd('account', 'cancel', 'acme', '--json'));
  assert.equal(cancelled.status, 'expired');
  assert.ok(Date.parse(cancelled.expiresAt) >= before, 'it ends now');
  assert.equal(cancelled.trialEndsAt, null);
});

const farOff = '2126-01-31T00:00:00.000Z';

test('an invalid command is refused with a message, and changes nothing', async (t) => {
  const jobd = await withStore(t);
  await jobd('account', 'create', 'acme');
  const before = await jobd('account', 'list', '--json');
  const rows: [args: string, exitCode: number, words: RegExp][] = [
    ['account create acme', 5, /there is an account named acme already/],
    ['account create b --plan gold', 2, /--plan must be one of free, pro, business, self-hosted/],
    ['account create b --trial-days 0', 2, /--trial-days must be a whole number between 1/],
    [`account create ${'b'.repeat(121)}`, 2, /name must be at most 120 characters, got 121/],
    ['account create', 2, /missing required argument 'name'/],
    ['account show b', 3, /there is no account named b/],
    ['account set-plan b pro', 3, /there is no account named b/],
    ['account set-plan acme gold', 2, /the plan must be one of free, .*got gold/],
    ['account trial acme', 2, /required option '--until/],
    ['account trial acme --until tomorrow', 2, /--until must be a duration such as .*"tomorrow"/],
    ['account subscribe acme --until 2126-02-30T00:00:00Z', 2, /--until must be a duration/],
    ['account cancel b', 3, /there is no account named b/],
    ['workspace create a --account b', 3, /there is no account named b/],
    ['workspace create default', 5, /there is a workspace named default already/],
    ['workspace delete b --yes', 3, /there is no workspace named b/],
    ['workspace delete default --yes', 5, /the default workspace cannot be deleted/],
    ['key create --expires soon', 2, /--expires must be a duration such as .*got "soon"/],
    ['key create --expires 999999999d', 2, /--expires must be a duration such as/],
  ];
  for (const [args, exitCode, words] of rows) {
    const ran = await jobd(...args.split(' '));
    assert.equal(ran.exitCode, exitCode, `${args}: ${ran.stderr}`);
    assert.match(ran.stderr, words);
    assert.equal(ran.stdout, '', args);
  }
  assert.deepEqual(await jobd('account', 'list', '--json'), before);
  const left = json(await jobd('workspace', 'list', '--json'));
  assert.equal(left.workspaces.length, 1);
});

test('the 21st key is refused', async (t) => {
  const jobd = await withStore(t);
  const { id, workspaceId } = json(await jobd('key', 'create', '--json'));
  assert.match(workspaceId, /^[0-9a-f-]{36}$/);
  await using local = await openTestLocal(jobd.dataDir);
  for (let count = 1; count < 20; count += 1) {
    await createKey(local, { workspace: 'default', permission: 'read', name: '' });
  }
  const refused = await jobd('key', 'create');
  assert.deepEqual(refused, {
    exitCode: 4,
    stdout: '',
    stderr: 'jobd: an account may hold 20 active keys, this one holds 20: revoke one first\n',
  });
  await jobd('key', 'revoke', id, '--yes');
  assert.equal((await jobd('key', 'create')).exitCode, 0);
});

test('a running daemon picks up changes of accounts and workspaces', async (t) => {
  const { jobd, env } = await serveCommand(t);
  const sink = await startSink(t);
  await jobd('account', 'create', 'acme', '--plan', 'pro', '--trial-days', '14');
  const workspace = json(await jobd('workspace', 'create', 'prod', '--account', 'acme', '--json'));
  assert.deepEqual([workspace.name, workspace.account], ['prod', 'acme']);
  const listed = await jobd('workspace', 'list');
  assert.match(
    listed.stdout,
    new RegExp(`^default\tdefault\t\\S+\nprod\tacme\t${workspace.id}\n$`),
  );
  const key = (await jobd('key', 'create', '--workspace', 'prod')).stdout.trim();
  const asAcme = (...args: string[]) => runCommand(args, { ...env, JOBD_API_KEY: key });
  const create = ['jobs', 'create', '--name', 'a', '--url', sink.url, '--cron', '0 0 1 1 *'];
  assert.equal((await asAcme(...create)).exitCode, 0);
  const nextRunAt = async (): Promise<string | null> =>
    json(await asAcme('jobs', 'get', 'a', '--json')).job.nextRunAt;
  const due = await nextRunAt();
  assert.match(due ?? '', time);

  await jobd('account', 'cancel', 'acme');
  assert.equal(await nextRunAt(), null);
  const refused = await asAcme('jobs', 'run', 'a');
  assert.equal(refused.exitCode, 6);
  assert.match(refused.stderr, /the trial ended at .*, a subscription is needed to run and edit/);
  await jobd('account', 'subscribe', 'acme');
  await until('the due time', async () => (await nextRunAt()) === due);
  assert.equal((await asAcme('jobs', 'run', 'a', '--wait')).exitCode, 0);
  await jobd('account', 'set-plan', 'acme', 'free');
  const often = await asAcme('jobs', 'update', 'a', '--cron', '* * * * *');
  assert.equal(often.exitCode, 4);
  assert.match(often.stderr, /at least 300 s between due times on the plan free, got 60 s/);

  const asked = await jobd('workspace', 'delete', 'prod');
  assert.deepEqual([asked.exitCode, asked.stdout], [2, '']);
  assert.match(asked.stderr, /Delete workspace prod with all its jobs.*--yes/);
  assert.equal((await asAcme('jobs', 'list')).exitCode, 0, 'nothing was deleted');
  const deleted = await jobd('workspace', 'delete', 'prod', '--yes');
  assert.deepEqual(deleted, { exitCode: 0, stdout: '', stderr: 'deleted workspace prod\n' });
  assert.equal((await asAcme('jobs', 'list')).exitCode, 4);
  assert.doesNotMatch((await jobd('workspace', 'list')).stdout, /prod/);
  assert.doesNotMatch((await jobd('key', 'list')).stdout, /prod/);
});
