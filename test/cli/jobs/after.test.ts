/** Jobs that run after others, from the shell: what is said of their schedules and conditions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveCommand } from '../../support/running/command.ts';

test('a job that runs after another one is changed, and what does not count is said', async (t) => {
  const { jobd } = await serveCommand(t);
  const create = ['jobs', 'create', '--url', 'https://example.com/', '--name'];
  const after = async (): Promise<string> => {
    const { stdout } = await jobd('jobs', 'get', 'second');
    return /^runs after\t(.*)$/m.exec(stdout)?.[1] ?? '';
  };
  assert.equal((await jobd(...create, 'first', '--every', '1d')).exitCode, 0);
  assert.match(
    (await jobd(...create, 'second')).stderr,
    /or --every 5m, --at TIME, or --after JOB\n/,
  );
  assert.match(
    (await jobd(...create, 'x', '--after-on', 'failed')).stderr,
    /--after-on needs --after/,
  );
  assert.equal((await jobd(...create, 'second', '--after', 'first')).exitCode, 0);
  assert.equal(await after(), 'first succeeds');

  const failed = await jobd('jobs', 'update', 'second', '--after-on', 'failed');
  assert.equal(failed.stderr, '');
  assert.equal(await after(), 'first fails');
  const none = await jobd('jobs', 'update', 'first', '--after-on', 'failed');
  assert.match(none.stderr, /--after-on needs --after/);

  const kept = /--every is kept, and does not count while the job runs after another one/;
  assert.match((await jobd('jobs', 'update', 'second', '--every', '2h')).stderr, kept);
  const again = await jobd(...create, 'second', '--every', '1h', '--upsert');
  assert.match(again.stderr, kept);
  assert.equal(await after(), 'first fails');

  const results = ['--on-result', 'https://example.com/results'];
  assert.equal((await jobd('jobs', 'update', 'second', ...results)).exitCode, 0);
  const stopped = await jobd('jobs', 'update', 'second', '--no-on-result');
  assert.match(stopped.stderr, /results that have not arrived yet are not posted any more/);

  const free = await jobd('jobs', 'update', 'second', '--no-after');
  assert.match(free.stderr, /it is called on its schedule again; --cron or --every sets another/);
  assert.equal(await after(), '');
});

test('a job that others run after is refused before anybody is asked', async (t) => {
  const { jobd } = await serveCommand(t);
  const create = ['jobs', 'create', '--url', 'https://example.com/', '--name'];
  assert.equal((await jobd(...create, 'first', '--every', '1d')).exitCode, 0);
  assert.equal((await jobd(...create, 'second', '--after', 'first')).exitCode, 0);
  const refused = await jobd('jobs', 'delete', 'first');
  assert.equal(refused.exitCode, 5);
  assert.match(refused.stderr, /^jobd: second runs after this job: delete it first/);
  assert.match((await jobd('jobs', 'delete', 'second')).stderr, /Use --yes to skip this question/);
  const explained = await jobd('explain', 'first', '--at', '25:00');
  assert.match(explained.stderr, /^jobd: --at must be a time such as .*got "25:00"\n$/);
});
