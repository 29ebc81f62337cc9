/** Labels and selectors from the shell (docs/behavior.md#labels). */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveCommand } from '../support/running/command.ts';

test('labels are set, changed and removed, and select jobs for every command', async (t) => {
  const { jobd } = await serveCommand(t);
  const create = [
    'jobs',
    'create',
    '--url',
    'http://127.0.0.1:1/',
    '--cron',
    '@yearly',
    '--tz',
    'UTC',
    '--name',
  ];
  const done = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await jobd(...args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  const labelsOf = async (name: string) =>
    JSON.parse(await done('jobs', 'get', name, '--json')).job.labels;
  await done(...create, 'one', '--label', 'client=acme', '--label', 'env=dev');
  await done(...create, 'two', '--label', 'client=acme', '--paused');
  await done(...create, 'plain-');
  assert.deepEqual(await labelsOf('one'), { client: 'acme', env: 'dev' });
  assert.match(await done('jobs', 'get', 'one'), /^labels\tclient=acme env=dev$/m);

  await done(
    'jobs',
    'update',
    'one',
    '--label',
    'env=prod',
    '--label',
    'team=x',
    '--no-label',
    'client',
  );
  assert.deepEqual(await labelsOf('one'), { env: 'prod', team: 'x' });
  await done('jobs', 'label', 'one', 'two', 'client=acme', 'team-');
  assert.deepEqual(await labelsOf('one'), { client: 'acme', env: 'prod' });
  assert.deepEqual(await labelsOf('two'), { client: 'acme' });

  const names = async (...limits: string[]): Promise<string[]> =>
    (await done('jobs', 'list', ...limits))
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');
  assert.deepEqual(await names('-l', 'client=acme'), ['two', 'one']);
  assert.deepEqual(await names('-l', 'client=acme', '--status', 'paused'), ['two']);
  assert.deepEqual(await names('-l', 'client==acme'), ['two', 'one']);
  assert.deepEqual(await names('--selector', '!client'), ['plain-']);
  assert.match(await done('jobs', 'list'), /^one\t.*\tclient=acme env=prod\t-\t-$/m);
  assert.match((await jobd('jobs', 'list', '-l', 'client=b')).stderr, /^no job has such labels$/m);
  const advice = /; separate terms by commas: client=acme,env=prod$/m;
  for (const selector of ['client=acme and env=prod', 'client=acme env!=dev']) {
    for (const command of ['jobs list', 'jobs pause', 'runs list']) {
      const { stderr } = await jobd(...command.split(' '), '-l', selector);
      assert.match(stderr, advice, command);
    }
  }
  const night = [
    '--name',
    'night',
    '--effect',
    'mute',
    '--for',
    '1h',
    '-l',
    'client=acme env=prod',
  ];
  const window = await jobd('windows', 'create', ...night);
  assert.match(window.stdout, advice, 'windows create');
  await done('windows', 'delete', 'night', '--yes');
  assert.doesNotMatch((await jobd('jobs', 'list', '-l', 'client=b c')).stderr, advice);

  assert.match(
    await done('jobs', 'pause', '-l', 'client=acme'),
    /^two\twas paused already\t-\none\tpaused\t-$/m,
  );
  await done('jobs', 'label', '-l', 'client=acme', '--status', 'paused', 'env=dev');
  assert.deepEqual(await labelsOf('two'), { client: 'acme', env: 'dev' });
  // Nothing is deleted while it runs.
  const ran = await jobd('jobs', 'run', '-l', 'env=dev', '--wait');
  assert.match(ran.stdout, /^two\tfailed\t/, ran.stderr);
  assert.equal((await done('runs', 'list', '-l', 'env=dev')).trim().split('\n').length, 2);
  await done('jobs', 'delete', '-l', 'env=dev', '--yes');
  assert.deepEqual(await names(), ['plain-']);
});

test('a selection or label that means nothing is refused with what to do', async (t) => {
  const { jobd } = await serveCommand(t);
  const refusal = async (...args: string[]): Promise<string> => {
    const { stderr, exitCode } = await jobd(...args);
    assert.equal(exitCode, 2, stderr);
    return stderr;
  };
  assert.match(
    await refusal('jobs', 'pause'),
    /either name the jobs or use --all, --status or --selector/,
  );
  assert.match(await refusal('jobs', 'pause', 'a', '-l', 'b'), /either name the jobs or use --all/);
  assert.match(
    await refusal('jobs', 'list', '-l', 'a = b'),
    /--selector must be terms such as client=acme/,
  );
  assert.match(
    await refusal('jobs', 'label', 'one'),
    /say what to change: jobd jobs label backup client=acme/,
  );
  assert.match(await refusal('jobs', 'label', '--all', 'client==acme'), /: write client=acme$/m);
  assert.match(await refusal('jobs', 'label', '--all', 'Client=x'), /labels must have keys of/);
  assert.match(
    await refusal('monitors', 'create', '--name', 'm', '--every', '5m', '--label', 'x'),
    /--label must be client=acme/,
  );
  assert.match(await refusal('runs', 'list', 'one', '-l', 'a'), /name a job, or use --selector/);
});

test('labels of monitors are set and select them', async (t) => {
  const { jobd } = await serveCommand(t);
  const done = async (...args: string[]): Promise<string> => {
    const { stdout, stderr, exitCode } = await jobd('monitors', ...args);
    assert.equal(exitCode, 0, stderr);
    return stdout;
  };
  await done('create', '--name', 'disk', '--every', '5m', '--label', 'client=acme');
  await done('create', '--name', 'other', '--every', '5m');
  await done('update', 'disk', '--no-label', 'client', '--label', 'env=prod');
  assert.match(await done('get', 'disk'), /^labels\tenv=prod$/m);
  await done('label', '--all', 'client=b');
  assert.match(await done('list', '-l', 'env'), /^disk\t/);
  await done('pause', '-l', 'client=b,!env');
  assert.match(await done('list', '--status', 'paused', '-l', 'client'), /^other\t/);
});
