/** Calls that say who makes them, from the command line: a job, its call, its check, and the keys. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startSink } from '../../support/fakes/sink.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';

test('a saved call is checked offline with exported keys, and with keys of a URL', async (t) => {
  const { jobd, dataDir, url } = await serveCommand(t);
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
  for (const name of ['a', 'b', 'c']) await jobd('jobs', 'run', name, '--wait');

  const exported = await jobd('call-key', 'export');
  const keys = join(dataDir, 'keys.json');
  writeFileSync(keys, exported.stdout);
  const [byToken = '', bySignature = '', posted = ''] = sink.received.map((request) => {
    const { method, path, headers, body } = request;
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
  });
  const valid = await check(bySignature, '--keys', keys);
  assert.deepEqual([valid.exitCode, valid.stderr], [0, '']);
  assert.ok(valid.stdout.includes(url), valid.stdout);
  assert.match(
    valid.stdout,
    /^covered\s+@method, @target-uri, x-service-run-id, x-service-scheduled-for, signature-agent$/m,
  );
  const fetched = await check(byToken, '--keys', `${url}/.well-known/jwks.json`, '--json');
  const { verdict, jobId, audience: named } = JSON.parse(fetched.stdout);
  assert.deepEqual([verdict, typeof jobId, named], ['valid', 'string', audience]);

  const invalid = async (saved: string, ...args: string[]) => {
    const { exitCode, stdout } = await check(saved, '--keys', keys, ...args);
    assert.equal(exitCode, 1);
    return stdout;
  };
  assert.match(await invalid(byToken, '--audience', 'other'), /^invalid: its token is for/);
  assert.match(await invalid(bySignature, '--at', '2100-01-01T00:00:00Z'), /^invalid: it expired/);
  assert.match(await invalid(bySignature.replace('/hook', '/x')), /^invalid: the signature by/);
  const asHttps = await check(bySignature, '--keys', keys, '--scheme', 'https');
  assert.deepEqual(
    [asHttps.exitCode, asHttps.stderr],
    [1, 'as a call by http it is valid: --scheme http\n'],
  );
  assert.match(
    await invalid(bySignature, '--audience', audience),
    /^invalid: it carries no token, and only a token has an audience$/m,
  );
  const remedy = 'remove that break, which an editor may have added\n';
  for (const lineBreak of ['\n', '\r\n']) {
    const edited = await check(posted + lineBreak, '--keys', keys);
    assert.match(edited.stdout, /^invalid: its body is another one than its Content-Digest says$/m);
    assert.deepEqual(
      [edited.exitCode, edited.stderr],
      [1, `without the line break at its end it is valid: ${remedy}`],
    );
  }
  const editedHttps = await check(`${posted}\n`, '--keys', keys, '--scheme', 'https');
  const both = 'as a call by http, without the line break at its end, it is valid: --scheme http';
  assert.equal(editedHttps.stderr, `${both}, and ${remedy}`);
  assert.equal((await check(`${posted}x`, '--keys', keys)).stderr, '');
  assert.equal((await check(`${posted}\n\n`, '--keys', keys)).stderr, '');
  const endless = join(dataDir, 'endless.json');
  writeFileSync(endless, '['.repeat(2_000_000));
  const { stderr } = await check(bySignature, '--keys', endless);
  assert.match(stderr, /endless\.json has no keys: it has more than 1 MiB/);
  const unreadable = await check('hello', '--keys', keys);
  assert.equal(unreadable.exitCode, 2);
  assert.match(
    unreadable.stderr,
    /the request cannot be read: its first line is not METHOD TARGET/,
  );
  const noKeys = await check(bySignature, '--keys', `${url}/healthz`);
  assert.deepEqual([noKeys.exitCode, noKeys.stdout], [2, '']);

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

/** Checks a saved call of this machine. */
function check(saved: string, ...args: string[]) {
  return runCommand(['verify-call', '-', '--scheme', 'http', ...args], {}, saved);
}
