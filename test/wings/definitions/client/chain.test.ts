/** Jobs in files that run after others, and whose results are posted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertEnds, serveForFiles } from '../../../support/running/definition-files.ts';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

/** The follower comes first in the file, and by its key. */
const both = `
jobs:
  a-report:
    url: https://example.com/report
    after: import
    after-on: finished
  import:
    url: https://example.com/import
    on-result: https://example.com/done?token=\${TOKEN}
    on-result-secret: \${SECRET}
`;

test('a file chains jobs and names who gets results: applied, compared, exported and deleted', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const env = { TOKEN: 't0ken-of-the-url', SECRET: secret };
  const file = write('jobs.yaml', both);
  const applied = assertEnds(await jobd(env, 'apply', '--file', file), 0, /2 created/);
  assert.doesNotMatch(applied, /whsec_|t0ken/);
  assertEnds(await jobd(env, 'diff', '--file', file), 0, /0 to update, 0 to delete; 2 the same/);
  const get = async (name: string): Promise<{ id: string; after?: object }> => {
    const { stdout } = await jobd({}, 'jobs', 'get', name, '--json');
    return (JSON.parse(stdout) as { job: { id: string; after?: object } }).job;
  };
  const first = await get('import');
  assert.deepEqual((await get('a-report')).after, { jobId: first.id, on: 'finished' });
  const shown = (await jobd({}, 'jobs', 'get', 'a-report')).stdout;
  assert.match(shown, /runs after\s+import ends/);
  assert.match((await jobd({}, 'jobs', 'get', 'import')).stdout, /then runs\s+a-report/);
  assert.match((await jobd({}, 'jobs', 'callbacks', 'import')).stderr, /there are no results/);

  const changed = { ...env, SECRET: `whsec_${Buffer.alloc(32, 6).toString('base64')}` };
  const diff = (await jobd(changed, 'diff', '--file', file)).stdout;
  assert.deepEqual(diff.match(/^[-+] .*|^[-+]\w.*/gm), [
    '-on-result-secret: (secret)',
    '+on-result-secret: (changed)',
  ]);
  const wrong = { ...env, SECRET: 'abc' };
  assertEnds(await jobd(wrong, 'diff', '--file', file), 2, /on-result-secret must be whsec_/);

  const exported = await jobd({}, 'export');
  assert.match(exported.stdout, /after: import\n\s+after-on: finished/);
  assert.match(exported.stdout, /on-result: https:\/\/example.com\/done/);
  assert.doesNotMatch(exported.stdout, /whsec_/);

  assertEnds(await jobd({}, 'jobs', 'update', 'a-report', '--no-after'), 0, /^/);
  const unseen = both.replace(/ {4}on-result-secret.*\n/, '');
  const other = write('other.yaml', unseen.replace('example.com/done', 'example.com/other'));
  const kept = await jobd({ TOKEN: 't' }, 'diff', '--file', other);
  assert.doesNotMatch(kept.stderr, /jobd makes the secret/, 'it is kept for the same host');
  const movedFile = write('moved.yaml', unseen.replace('example.com/done', 'example.org/done'));
  const remark = /import: jobd makes the secret that signs the results, and shows it to nobody/;
  assertEnds(await jobd({ TOKEN: 't' }, 'diff', '--file', movedFile), 1, remark);
  const drift = await jobd(env, 'diff', '--file', file);
  assert.match(drift.stdout, /after: import/);

  const turned = write(
    'jobs.yaml',
    both
      .replace('    after: import\n    after-on: finished\n', '')
      .replace('    on-result:', '    after: a-report\n    on-result:'),
  );
  assertEnds(await jobd(env, 'apply', '--file', turned), 0, /0 created, 1 updated/);
  const none = write('jobs.yaml', 'jobs: {}\n');
  assertEnds(await jobd({}, 'apply', '--file', none, '--prune', '--yes'), 0, /2 deleted/);
  const hook = '{ type: webhook, config: { url: "https://example.com/hook"';
  const own = `${hook}, secret: "${secret}"`;
  const hooks = write('hooks.yaml', `channels:\n  a: ${hook} } }\n  b: ${own} } }\n`);
  const signs =
    /\na: jobd makes the secret that signs its alerts, and shows it to nobody; config\.secret /;
  assertEnds(await jobd({}, 'diff', '--file', hooks), 1, signs);
  assertEnds(await jobd({}, 'apply', '--file', hooks), 0, /2 created/);
  assert.doesNotMatch((await jobd({}, 'diff', '--file', hooks)).stderr, /shows it/, 'it is kept');
});

test('a job in a file runs after one that it names by key, by name or by id', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const create = async (name: string): Promise<string> => {
    const at = ['--url', 'https://example.com/', '--every', '1d', '--allow-duplicate', '--json'];
    const { stdout } = await jobd({}, 'jobs', 'create', '--name', name, ...at);
    return (JSON.parse(stdout) as { job: { id: string } }).job.id;
  };
  const id = await create('Nightly import');
  const url = 'url: "https://example.com/"';
  const file = write(
    'jobs.yaml',
    `jobs:
  by-name: { ${url}, after: Nightly import }
  by-id: { ${url}, after: ${id.toUpperCase()} }
  a-last: { ${url}, after: The report, after-on: failed }
  report: { ${url}, name: The report, after: by-name }
`,
  );
  const diff = assertEnds(await jobd({}, 'diff', '--file', file), 1, /4 to create/);
  assert.match(diff, /\+after: Nightly import\n/);
  assert.doesNotMatch(diff, /cron|timezone/, 'a schedule that nobody gave');
  assertEnds(await jobd({}, 'apply', '--file', file), 0, /4 created/);
  assertEnds(await jobd({}, 'diff', '--file', file), 0, /4 the same/);
  const after = async (name: string): Promise<string> => {
    const { stdout } = await jobd({}, 'jobs', 'get', name);
    return /runs after\s+(.*)/.exec(stdout)?.[1] ?? '';
  };
  assert.equal(await after('by-name'), 'Nightly import succeeds');
  assert.equal(await after('by-id'), 'Nightly import succeeds');
  assert.equal(await after('a-last'), 'The report fails');
  const exported = (await jobd({}, 'export')).stdout;
  assert.equal(exported.match(/after: nightly-import\n/g)?.length, 2);
  assert.match(exported, /after: report\n {4}after-on: failed/);
  const again = write('again.yaml', exported);
  assertEnds(await jobd({}, 'apply', '--file', again), 0, /1 adopted/);
  const byHand = await create('old');
  const old = write('old.yaml', `jobs:\n  old: { adopt: ${byHand}, ${url}, every: 7h }\n`);
  assertEnds(await jobd({}, 'diff', '--file', old), 1, /0 to create, 1 to update, 0 to delete; 0/);
  const once = /0 created, 1 updated, 0 deleted; 0 the same/;
  assertEnds(await jobd({}, 'apply', '--file', old), 0, once);
  assertEnds(await jobd({}, 'diff', '--file', file), 0, /4 the same/);
});

test('jobs made by hand, one after the other, and their channel are adopted as they are', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const create = ['jobs', 'create', '--url', 'https://example.com/', '--allow-duplicate'];
  assertEnds(await jobd({}, ...create, '--name', 'First', '--every', '1d'), 0, /^/);
  assertEnds(await jobd({}, ...create, '--name', 'Second', '--after', 'First'), 0, /^/);
  const channel = ['channels', 'create', '--type', 'webhook', '--name', 'Hook', '--job', 'First'];
  assertEnds(await jobd({}, ...channel, '--url', 'https://example.com/hook'), 0, /^/);
  const file = write('jobs.yaml', (await jobd({}, 'export')).stdout);
  const env = { SECRET_HOOK_URL: 'https://example.com/hook' };
  assertEnds(await jobd(env, 'diff', '--file', file), 1, /0 to update.*3 to adopt as they are/);
  assertEnds(await jobd(env, 'apply', '--file', file), 0, /3 adopted/);
  assertEnds(await jobd(env, 'diff', '--file', file), 0, /3 the same/);
});

test('a diff without --prune says that pruning would be refused, and by what', async (t) => {
  const { write, jobd } = await serveForFiles(t);
  const url = 'url: "https://example.com/"';
  const file = write(
    'jobs.yaml',
    `jobs:\n  first: { ${url} }\n  second: { ${url}, after: first }\n`,
  );
  assertEnds(await jobd({}, 'apply', '--file', file), 0, /2 created/);
  const none = write('none.yaml', 'jobs: {}\n');
  const harmless = /2 managed jobs are not in the files; --prune would delete them\n/;
  assertEnds(await jobd({}, 'diff', '--file', none), 0, harmless);
  const refused =
    /1 managed job is not in the files; --prune would be refused: job first: second runs after this job and would never run again: keep it/;
  const second = write('second.yaml', `jobs:\n  second: { ${url}, after: first }\n`);
  assertEnds(await jobd({}, 'diff', '--file', second), 0, refused);
  const hand = ['jobs', 'create', '--name', 'by hand', '--url', 'https://example.com/'];
  assertEnds(await jobd({}, ...hand, '--after', 'first'), 0, /^/);
  assertEnds(
    await jobd({}, 'diff', '--file', none),
    0,
    /--prune would be refused: job first: by hand runs/,
  );
  assertEnds(await jobd({}, 'apply', '--file', none, '--prune', '--yes'), 5, /nothing was changed/);
  const hook = 'type: webhook, config: { url: "https://example.com/hook" }';
  const channel = write('channel.yaml', `channels:\n  ops: { ${hook}, jobs: [second] }\n`);
  assertEnds(await jobd({}, 'apply', '--file', channel), 0, /1 created/);
  assertEnds(await jobd({}, 'jobs', 'delete', 'by hand', '--yes'), 0, /^/);
  const named = /--prune would be refused: job second: the channel ops names it\n/;
  assertEnds(await jobd({}, 'diff', '--file', channel), 0, named);
});
