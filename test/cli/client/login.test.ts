/** `jobd login`: what it stores, who can read it, and what takes precedence. */

import assert from 'node:assert/strict';
import { chmodSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientSettings } from '../../../src/settings/config.ts';
import { findServer, readProfiles, writeProfiles } from '../../../src/cli/client/profiles.ts';
import { runCommand, serveCommand } from '../../support/running/command.ts';
import type { Ran } from '../../support/running/program.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startSink } from '../../support/fakes/sink.ts';

const key = `cp_${'a'.repeat(64)}`;
const clientConfig = (env: Record<string, string>) => findServer(clientSettings(null, env));
const other = `cp_${'b'.repeat(64)}`;

test('a login is stored readable by its owner only, and used until logout', async (t) => {
  const daemon = await serveCommand(t);
  const apiKey = daemon.env['JOBD_API_KEY'] ?? '';
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t) };
  const jobd = (args: string[], input = ''): Promise<Ran> => runCommand(args, env, input);
  const file = clientSettings(null, env).profilesFile!;

  assert.equal((await jobd(['jobs', 'list'])).exitCode, 4, 'there is no key yet');
  const ran = await jobd(['login', '--url', `${daemon.url}/`], `${apiKey}\n`);
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.match(
    ran.stdout,
    /^profile\tdefault\nurl\thttp:\S+\nworkspace\tdefault\npermission\twrite\n$/,
  );
  assert.ok(!(ran.stdout + ran.stderr).includes(apiKey), 'a key is never shown');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(file, '..')).mode & 0o777, 0o700);
  assert.deepEqual(readdirSync(join(file, '..')), ['profiles.json']);

  const list = await jobd(['jobs', 'list']);
  assert.deepEqual(list, { exitCode: 0, stdout: '', stderr: 'there are no jobs\n' });

  const second = await jobd(
    ['login', '--profile', 'second', '--url', daemon.url, '--json'],
    apiKey,
  );
  assert.equal((JSON.parse(second.stdout) as { profile: string }).profile, 'second');
  assert.equal(second.stderr, `saved in ${file}\n`);
  const replaced = await jobd(['login', '--profile', 'second', '--url', daemon.url], apiKey);
  assert.equal(replaced.stderr, `saved in ${file}, in place of a key for ${daemon.url}\n`);
  const kept = readFileSync(file, 'utf8');
  const elsewhere = daemon.url.replace('127.0.0.1', 'localhost');
  const refused = await jobd(['login', '--url', elsewhere], apiKey);
  assert.equal(refused.exitCode, 5, refused.stderr);
  assert.match(
    refused.stderr,
    /^jobd: the profile second is for \S+: name another one with --profile/,
  );
  assert.match(refused.stderr, /jobd login --kept/);
  assert.equal(readFileSync(file, 'utf8'), kept);
  const named = await jobd(['login', '--profile', 'second', '--url', elsewhere, '--kept']);
  assert.equal(named.stderr, `saved in ${file}, in place of a key for ${daemon.url}\n`);
  await jobd(['login', '--profile', 'second', '--url', daemon.url], apiKey);
  const listed = await jobd(['profile', 'list']);
  assert.equal(listed.stdout, `default\t${daemon.url}\tno\nsecond\t${daemon.url}\tyes\n`);
  assert.equal((await jobd(['profile', 'use', 'default'])).exitCode, 0);
  assert.equal((await jobd(['profile', 'use', 'nobody'])).exitCode, 3);
  assert.equal((await jobd(['logout'])).stderr, 'deleted profile default\n');
  assert.equal((await jobd(['jobs', 'list'])).exitCode, 4);
  assert.equal((await jobd(['jobs', 'list', '--profile', 'second'])).exitCode, 0);
  assert.equal((await jobd(['--profile', 'nobody', 'jobs', 'list'])).exitCode, 2);

  const before = readFileSync(file, 'utf8');
  const wrong = await jobd(['login', '--url', daemon.url], other);
  assert.deepEqual([wrong.exitCode, wrong.stdout], [4, '']);
  assert.equal((await jobd(['login', '--url', daemon.url], 'letmein')).exitCode, 2);
  assert.equal(readFileSync(file, 'utf8'), before, 'a refused login is not stored');

  chmodSync(file, 0o640);
  const open = await jobd(['jobs', 'list']);
  assert.equal(open.exitCode, 2);
  assert.match(
    open.stderr,
    /^jobd: other users can read the API keys in .*; run: chmod 600 \S+\n$/,
  );
});

test('flags override the environment, which overrides the profile; a key is only sent to its own server', (t) => {
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t) };
  const file = clientSettings(null, env).profilesFile!;
  const url = 'https://jobs.example.com';
  writeProfiles(file, { current: 'a', profiles: { a: { url, apiKey: key } } });
  const keyFrom = `the profile a in ${file}`;
  assert.deepEqual(clientConfig(env), { url, apiKey: key, keyFrom });
  const given = { url, apiKey: other, keyFrom: 'JOBD_API_KEY' };
  assert.deepEqual(clientConfig({ ...env, JOBD_API_KEY: other }), given);
  const elsewhere = { ...env, JOBD_URL: 'http://127.0.0.1:1' };
  const unknown = { url: elsewhere.JOBD_URL, isNamed: true, apiKey: null, others: [`a (${url})`] };
  assert.deepEqual(clientConfig(elsewhere), unknown);
  const same = { ...env, JOBD_URL: 'HTTPS://Jobs.Example.com:443/' };
  assert.deepEqual(clientConfig(same), { url, apiKey: key, keyFrom }, 'however it is written');
  assert.throws(() => clientConfig({ ...env, JOBD_PROFILE: 'b' }), /there is no profile b/);
  writeFileSync(file, '{"current":1}');
  assert.throws(() => readProfiles(file), /holds no profiles/);
});

test('without a login, the one of this machine is suggested unless a server was named', async (t) => {
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t) };
  const none = await runCommand(['jobs', 'list'], env);
  const how = 'on the machine of the server, jobd key create makes a key';
  const words = `jobd: not logged in: run jobd login, or set JOBD_API_KEY\n  ${how}\n`;
  assert.equal(none.stderr, words);
  const named = await runCommand(['jobs', 'list'], { ...env, JOBD_URL: 'http://127.0.0.1:1' });
  assert.match(named.stderr, /not logged in to (http:\S+): run jobd login --url \1, or set/);
});

test('the key of a login that failed is not lost', async (t) => {
  const daemon = await serveCommand(t);
  const apiKey = daemon.env['JOBD_API_KEY'] ?? '';
  const sink = await startSink(t);
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t) };
  const jobd = (args: string[], input = ''): Promise<Ran> => runCommand(args, env, input);
  const { profilesFile } = clientSettings(null, env);
  const file = join(profilesFile!, '..', 'unchecked-key');
  const none = await jobd(['login', '--kept', '--url', daemon.url]);
  assert.deepEqual(none, {
    exitCode: 2,
    stdout: '',
    stderr: 'jobd: no key is kept: give one on standard input, without --kept\n',
  });

  for (const [url, exitCode] of [
    ['http://127.0.0.1:9', 7],
    [sink.url, 7],
  ] as const) {
    const failed = await jobd(['login', '--url', url], apiKey);
    assert.equal(failed.exitCode, exitCode, failed.stderr);
    assert.ok(
      failed.stderr.endsWith(
        `\n  the key is kept in ${file}; to try it again: jobd login --kept --url URL\n`,
      ),
      failed.stderr,
    );
    assert.ok(!failed.stderr.includes(apiKey), 'a key is never shown');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await jobd(['jobs', 'list'])).exitCode, 4, 'it is not used');
  }
  const kept = await jobd(['login', '--kept', '--url', daemon.url]);
  assert.equal(kept.exitCode, 0, kept.stderr);
  assert.equal(readProfiles(profilesFile).profiles['default']?.apiKey, apiKey);
  assert.deepEqual(readdirSync(join(file, '..')), ['profiles.json']);

  const refused = await jobd(['login', '--url', daemon.url], other);
  assert.equal(refused.exitCode, 4);
  assert.match(refused.stderr, /jobd login --kept/, 'another server may accept it');
});

test('a login asks the server of this machine, wherever it listens', async (t) => {
  const { env: daemon, url } = await serveCommand(t);
  const { JOBD_DATA = '', JOBD_API_KEY = '' } = daemon;
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t), JOBD_DATA };
  const ran = await runCommand(['login'], env, JOBD_API_KEY);
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.match(ran.stdout, new RegExp(`^url\t${url}$`, 'm'));
});

test('a login to a server that is not jobd stores nothing', async (t) => {
  const sink = await startSink(t);
  const env = { XDG_CONFIG_HOME: temporaryDirectory(t) };
  const ran = await runCommand(['login', '--url', sink.url], env, key);
  assert.equal(ran.exitCode, 7, ran.stderr);
  assert.deepEqual(readProfiles(clientSettings(null, env).profilesFile).profiles, {});
});
