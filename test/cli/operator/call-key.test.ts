/** Calls that say who makes them, from the command line: a job, and the keys. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startSink } from '../../support/fakes/sink.ts';
import { serveCommand } from '../../support/running/command.ts';

test('jobs say who calls, and their keys are exported, shown and rotated', async (t) => {
  const { jobd, url } = await serveCommand(t);
  const sink = await startSink(t);
  const hourly = ['--every', '1h', '--url', `${sink.url}/hook`];
  const audience = 'https://api.example.com';
  const refused = await jobd('jobs', 'create', '--name', 'a', ...hourly, '--sign', 'oidc');
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /--audience is needed with sign oidc/);
  const token = ['--sign', 'oidc', '--audience', audience];
  const created = await jobd('jobs', 'create', '--name', 'a', ...hourly, ...token);
  assert.match(created.stdout, /^proof of the caller\s+oidc$/m);
  assert.match(created.stdout, /^audience\s+https:\/\/api\.example\.com$/m);
  await jobd('jobs', 'create', '--name', 'b', ...hourly, '--sign', 'httpsig');
  const post = ['--method', 'POST', '--data', '{"a":1}', '--sign', 'httpsig'];
  await jobd('jobs', 'create', '--name', 'c', ...hourly, ...post);
  assert.match(
    (await jobd('export')).stdout,
    /sign: oidc\n\s+audience: https:\/\/api\.example\.com/,
  );

  const exported = await jobd('call-key', 'export');
  const published = await fetch(`${url}/.well-known/jwks.json`);
  assert.deepEqual(JSON.parse(exported.stdout), await published.json());
  const rotated = await jobd('call-key', 'rotate', '--now', '--yes');
  const [said, cached] = rotated.stderr.trimEnd().split('\n');
  assert.match(
    said ?? '',
    new RegExp(
      `^EdDSA key ${rotated.stdout.trim()} signs from now on, \\S+Z; the EdDSA keys before it are published no more$`,
    ),
  );
  assert.equal(
    cached,
    'targets that keep the old keys refuse calls, and trust the old keys, until they ask for the new ones: up to 5 minutes',
  );
  const shown = JSON.parse((await jobd('call-key', 'show', '--json')).stdout);
  const states = shown.keys.map(({ keyId, state }: Record<string, string>) => [keyId, state]);
  const [first] = JSON.parse(exported.stdout).keys;
  assert.deepEqual(
    new Map(states),
    new Map([
      [rotated.stdout.trim(), 'signs'],
      [first.kid, 'retired'],
    ]),
  );
  const next = await jobd('call-key', 'rotate', '--yes');
  const [after] = JSON.parse((await jobd('call-key', 'show', '--json')).stdout).keys;
  assert.equal(next.stdout, `${after.keyId}\n`);
  const [, signsFrom = '', before, until = ''] =
    /^EdDSA key \S+ signs from (\S+); the key before it, (\S+), is published until (\S+)\n$/.exec(
      next.stderr,
    ) ?? [];
  assert.deepEqual([signsFrom, before], [after.signsFrom, rotated.stdout.trim()]);
  assert.equal(Date.parse(until) - Date.parse(signsFrom), 86_400_000);
  await jobd('jobs', 'update', 'b', '--no-sign');
  assert.ok(!(await jobd('jobs', 'get', 'b')).stdout.includes('sign'));
});
