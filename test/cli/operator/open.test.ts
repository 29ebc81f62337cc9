/** `jobd open`: a link that signs a browser in once (docs/behavior.md#session-2), and what is kept of it. */

import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openTestLocal } from '../../support/running/local.ts';
import { startDaemon } from '../../../src/serve/daemon.ts';
import { serveConfig, type Flags } from '../../../src/settings/config.ts';
import { openLog } from '../../../src/base/log.ts';
import { findSiteUrl } from '../../../src/store/accounts/instance.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { postSession, signIn } from '../../support/running/browser.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';

function codeOf({ stdout }: { stdout: string }): string {
  return stdout.trim().split('#code=')[1] ?? '';
}

test('the link of jobd open signs a browser in, once', async (t) => {
  const { jobd, url, ...daemon } = await serveCommand(t);
  const port = new URL(url).port;

  const opened = await jobd('open');
  assert.equal(opened.exitCode, 0, opened.stderr);
  const [, code = ''] = /^http:\S+\/sign-in#code=([0-9a-f]{32})\n$/.exec(opened.stdout) ?? [];
  assert.ok(opened.stdout.startsWith(`${url}/sign-in#`), opened.stdout);
  const [first, place, second, ...rest] = opened.stderr.split('\n');
  assert.match(first ?? '', /^Open this link in a browser\. It works once, until \d{4}-\S+Z\.$/);
  assert.match(place ?? '', /^It is for this machine: .*--base-url URL sets the address/);
  assert.match(
    second ?? '',
    new RegExp(`: ssh -N -L ${port}:127\\.0\\.0\\.1:${port} user@server$`),
  );
  assert.deepEqual(rest, ['']);
  const session = await signIn(url, { code });
  assert.equal((await session.ask('GET', '/about')).body.siteUrl, url);
  assert.equal((await postSession(url, { code })).status, 401);

  const both = await jobd('open', '--read', '--permission', 'write');
  assert.deepEqual([both.exitCode, both.stdout], [2, '']);
  const long = await jobd('open', '--permission', 'read', '--json');
  assert.equal((JSON.parse(long.stdout) as { permission: string }).permission, 'read');
  const read = await jobd('open', '--read', '--valid', '1h', '--json');
  const shown = JSON.parse(read.stdout);
  assert.deepEqual([shown.permission, shown.isOwner, shown.workspace], ['read', false, 'default']);
  assert.ok(Math.abs(Date.parse(shown.expiresAt) - Date.now() - 3_600_000) < 60_000);

  const refusals: [string[], number, RegExp][] = [
    [['--valid', '25h'], 2, /for 1 s to 24 h, got /],
    [['--valid', '0s'], 2, /for 1 s to 24 h, got /],
    [['--valid', 'soon'], 2, /--valid must be a duration/],
    [['--workspace', 'nowhere'], 3, /no workspace named nowhere/],
  ];
  for (const [args, exitCode, words] of refusals) {
    const refused = await jobd('open', ...args);
    assert.deepEqual([refused.exitCode, refused.stdout], [exitCode, ''], refused.stderr);
    assert.match(refused.stderr, words);
  }

  assert.equal((await daemon.stop('SIGTERM')).exitCode, 0);
  const stopped = await jobd('open');
  assert.deepEqual([stopped.exitCode, stopped.stdout], [7, '']);
  assert.match(
    stopped.stderr,
    /^jobd: no jobd serve uses \S+: start it, or name the data directory of .* with --data\n$/,
  );
  const none = join(temporaryDirectory(t), 'none');
  assert.equal((await runCommand(['open', '--data', none])).exitCode, 3);
  assert.ok(!fs.existsSync(none), 'nothing is made');
});

test('the URL that is kept works on this machine, or is the one that the operator set', async (t) => {
  const urlWith = async (flags: Flags): Promise<string | null> => {
    const data = temporaryDirectory(t);
    const config = serveConfig({ data, port: '0', ...flags }, {});
    await using daemon = await startDaemon(config, openLog('silent'));
    await using local = await openTestLocal(data);
    const kept = await findSiteUrl(local.store.db);
    if (flags['baseUrl'] === undefined) {
      assert.equal((await fetch(`${kept}/healthz`)).status, 200, `${daemon.url} ${kept}`);
    }
    return kept;
  };
  assert.match((await urlWith({})) ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match((await urlWith({ host: '0.0.0.0' })) ?? '', /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.match((await urlWith({ host: '::' })) ?? '', /^http:\/\/\[::1\]:\d+$/);
  const baseUrl = 'https://jobs.example.com';
  assert.equal(await urlWith({ baseUrl }), baseUrl);
});

test('no secret of sign-in is in the file, a backup, the log or the trail, and a restore ends sessions', async (t) => {
  const { jobd, url, dataDir, ...daemon } = await serveCommand(t);
  const code = codeOf(await jobd('open'));
  const unused = codeOf(await jobd('open'));
  const owner = await signIn(url, { code });
  const made = await owner.ask('POST', '/keys', { name: 'a', permission: 'write' });
  const key = String(made.body.secret);
  const user = await signIn(url, { key });
  const secrets = [code, unused, key, ...[owner, user].map(({ cookie }) => cookie.split('=')[1])];

  // Requests that fail in each way, with the secrets where they belong and where they do not.
  const asked = [
    await user.ask('GET', '/keys'),
    await user.ask('POST', '/monitors', { name: 'a' }, { 'x-jobd-workspace': 'x' }),
    await user.ask('GET', '/jobs', undefined, { 'sec-fetch-site': 'cross-site' }),
    await user.ask('GET', '/jobs', undefined, { cookie: `${user.cookie}; ${user.cookie}` }),
    await postSession(url, { key, code }),
    await postSession(url, { code }),
    await postSession(url, { key: `${key}0` }),
  ];
  for (const { status, body } of asked) {
    assert.ok(status >= 400, JSON.stringify(body));
    for (const secret of secrets) assert.ok(!JSON.stringify(body).includes(secret ?? '?'));
  }
  const broken = await fetch(`${url}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"key": ${key}`,
  });
  const brokenText = await broken.text();
  assert.equal(broken.status, 400);

  const file = join(temporaryDirectory(t), 'kept.db');
  assert.equal((await jobd('backup', file)).exitCode, 0);
  assert.equal((await owner.ask('DELETE', '/session')).status, 200);
  const { stderr } = await daemon.stop('SIGTERM');
  const kept = [
    brokenText,
    stderr,
    fs.readFileSync(file, 'latin1'),
    ...fs
      .readdirSync(dataDir, { recursive: true, withFileTypes: true })
      // The executable keeps its native part in a directory there.
      .filter((entry) => entry.isFile())
      .map((entry) => fs.readFileSync(join(entry.parentPath, entry.name), 'latin1')),
  ];
  for (const text of kept) {
    for (const secret of secrets) assert.ok(secret && !text.includes(secret));
  }
  assert.match(stderr, /"action":"session\.start"/);

  assert.equal((await jobd('restore', file, '--yes')).exitCode, 0);
  await using local = await openTestLocal(dataDir);
  for (const table of ['sessions', 'sign_in_codes', 'instance'] as const) {
    assert.deepEqual(await local.store.db.selectFrom(table).selectAll().execute(), [], table);
  }
});
