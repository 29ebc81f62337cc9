/** What npm brings to machines without the executable: commands that talk to a server work, others say why they do not. */

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as elsewhere from '../src/serve/elsewhere.ts';
import type { CommandFile } from '../src/serve/house.ts';
import { localWings } from '../src/serve/local-wings.ts';
import { localCommands } from '../src/serve/local.ts';
import { version } from '../src/version.ts';
import { temporaryDirectory } from './support/directory.ts';
import { serveCommand } from './support/running/command.ts';
import { runProgram } from './support/running/program.ts';

const root = join(import.meta.dirname, '..');
const bundle = join(root, 'dist', 'jobd-client.cjs');
const namesOf = (files: readonly CommandFile[]): string[] =>
  files.flatMap(({ names }) => names).toSorted();
const notBuilt = existsSync(bundle) ? false : 'dist/jobd-client.cjs is not built';

/** Makes this process look like another system with an older Node: what Node has only since 24 is gone. */
const pretend = (platform: string, node: string): string => `
  Object.defineProperty(process, 'platform', { value: '${platform}' });
  Object.defineProperty(process, 'arch', { value: 'arm64' });
  Object.defineProperty(process, 'version', { value: 'v${node}' });
  Object.defineProperty(process.versions, 'node', { value: '${node}' });
  for (const name of ['getuid', 'geteuid', 'getgid', 'getegid', 'setuid', 'seteuid', 'initgroups'])
    delete process[name];
  for (const name of ['DisposableStack', 'AsyncDisposableStack', 'SuppressedError', 'Float16Array'])
    delete globalThis[name];
  delete RegExp.escape; delete Promise.try; delete Error.isError;
`;

/** The launcher and the bundle as npm installs them, without a package for this machine. */
function install(t: TestContext, platform: string, node: string) {
  const directory = temporaryDirectory(t);
  const at = (name: string): string => join(directory, name);
  cpSync(join(root, 'packaging', 'npm', 'launch.cjs'), at('jobd.cjs'));
  cpSync(bundle, at('client.cjs'));
  writeFileSync(at('elsewhere.cjs'), pretend(platform, node));
  mkdirSync(at('home'));
  const words = [process.execPath, '--require', at('elsewhere.cjs'), at('jobd.cjs')];
  return {
    home: at('home'),
    at,
    run: (args: readonly string[], env: Record<string, string> = {}, input = '') =>
      runProgram([...words, ...args], { env: { HOME: at('home'), ...env }, input }),
  };
}

describe('the bundle for npm', { skip: notBuilt }, () => {
  for (const platform of ['darwin', 'win32']) {
    test(`talks to a server from ${platform} with Node 22`, async (t) => {
      const daemon = await serveCommand(t);
      const { run, home, at } = install(t, platform, '22.1.0');
      const ok = async (...args: string[]): Promise<string> => {
        const { exitCode, stdout, stderr } = await run(args);
        assert.equal(exitCode, 0, `${args.join(' ')}: ${stderr}`);
        return stdout;
      };
      const key = daemon.env['JOBD_API_KEY'] ?? '';
      const signedIn = await run(['login', '--url', daemon.url], {}, key);
      assert.equal(signedIn.exitCode, 0, signedIn.stderr);
      assert.ok(readFileSync(join(home, '.config', 'jobd', 'profiles.json'), 'utf8').includes(key));
      const file = at('jobs.yaml');
      writeFileSync(
        file,
        `jobs:\r\n  hello:\r\n    url: ${daemon.url}/healthz\r\n    every: 1h\r\n`,
      );
      await ok('apply', '--file', file, '--yes');
      await ok('diff', '--file', file);
      assert.match(await ok('jobs', 'run', 'hello', '--wait'), /\tsuccess\n/);
      assert.match(await ok('runs', 'list', 'hello'), /^success\t/);
      const { monitor } = JSON.parse(
        await ok('monitors', 'create', '--name', 'm', '--every', '1h', '--json'),
      ) as { monitor: { pingUrl: string } };
      await ok('ping', monitor.pingUrl);
      assert.match(await ok('monitors', 'list'), /^m\tup\t/);
      for (const command of [
        'explain hello',
        'channels list',
        'export',
        'audit',
        'ledger check',
        'schedule preview @daily',
        'man',
        'completion zsh',
        'help',
      ]) {
        assert.notEqual(await ok(...command.split(' ')), undefined);
      }
      const crontab = at('crontab');
      writeFileSync(crontab, '* * * * * curl -fsS http://127.0.0.1:9/\r\n');
      assert.match(await ok('import', 'crontab', crontab), /cron: "\* \* \* \* \*"/);
    });
  }

  test('refuses exactly the commands that work on the data of a machine', () => {
    const ofWings = localWings.flatMap(({ commands = [] }) => commands);
    assert.deepEqual(namesOf(elsewhere.localCommands), namesOf([...localCommands, ...ofWings]));
  });

  test('says in a sentence which commands it has not, whatever their options are', async (t) => {
    const { run } = install(t, 'darwin', '22.1.0');
    const options = [[], ['--data', 'x', 'y'], ['--help']];
    for (const [at, name] of namesOf(elsewhere.localCommands).entries()) {
      // All of them for the first; the others take turns.
      for (const more of at === 0 ? options : [options[at % options.length] ?? []]) {
        const { exitCode, stdout, stderr } = await run([name, ...more]);
        assert.deepEqual([exitCode, stdout], [2, ''], stderr);
        const sentence = `jobd: jobd ${name} needs Linux with x64 or arm64, this is darwin-arm64\n`;
        assert.ok(stderr.startsWith(sentence), stderr);
      }
    }
    assert.equal((await run(['--version'])).stdout, `${version}\n`);
  });

  test('an older Node is told which one it needs', async (t) => {
    const { exitCode, stdout, stderr } = await install(t, 'darwin', '20.19.0').run(['--version']);
    assert.deepEqual([exitCode, stdout], [1, '']);
    assert.equal(stderr, 'jobd: needs Node 22 or newer on this machine, this is v20.19.0\n');
  });

  test('has none of what only a server needs', () => {
    assert.ok(statSync(bundle).size < 1024 ** 2, 'it is small');
    const text = readFileSync(bundle, 'utf8');
    const has = (path: string): boolean => text.includes(`"${path}`);
    // esbuild names each file.
    assert.ok(has('src/serve/program.ts'));
    const layers = ['store', 'engine', 'app', 'api', 'egress', 'secrets', 'upgrade', 'metrics'];
    assert.deepEqual(
      layers.filter((layer) => has(`src/${layer}/`)),
      [],
    );
  });
});

/** Why a command does not run on a machine. */
const machine = (platform: string, arch: string, header: object = {}): string =>
  elsewhere.whyNotHere({ platform, arch, report: { getReport: () => ({ header }) } });

test('the reason names what this machine lacks', () => {
  assert.match(machine('win32', 'x64'), /^needs Linux .* this is win32-x64$/);
  assert.match(machine('linux', 'ppc64'), /^needs Linux .* this is linux-ppc64$/);
  assert.match(machine('linux', 'x64'), /^needs Linux with glibc: Alpine/);
  assert.match(
    machine('linux', 'arm64', { glibcVersionRuntime: '2.36' }),
    /^needs the package @jobd\/linux-arm64, which npm has not installed/,
  );
});
