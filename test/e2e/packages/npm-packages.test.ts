/** The packages for npm: installed without a network, they run the executable of this machine. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';

/** Build scripts have no types. */
const npm: {
  packLauncher(parts: {
    version: string;
    archs: string[];
    client: string;
    licenses: string;
    directory: string;
  }): Promise<string>;
  packPlatform(parts: Record<string, string>): Promise<string>;
} = await import(join(import.meta.dirname, '..', '..', '..', 'packaging', 'npm.mjs'));

const version = '1.2.3';
const notHere = process.platform === 'linux' ? false : 'the packages are for Linux';

/** Says what it was given; waits for a signal if asked. */
const program = `#!/bin/sh
case $1 in
  --version) echo ${version} ;;
  wait)
    trap 'echo stopped; exit 7' TERM
    echo waiting
    for _ in $(seq 200); do sleep 0.05; done ;;
  die) kill -KILL $$ ;;
  *) printf '<%s>' "$@"; cat; exit 3 ;;
esac
`;

test(
  'npm installs the launcher and one executable, offline, without scripts',
  { skip: notHere },
  async (t) => {
    const directory = temporaryDirectory(t);
    const at = (name: string): string => join(directory, name);
    writeFileSync(at('program'), program, { mode: 0o755 });
    writeFileSync(at('licenses'), 'licences of others\n');
    const other = process.arch === 'x64' ? 'arm64' : 'x64';
    const parts = { version, program: at('program'), licenses: at('licenses'), directory };
    const own = await npm.packPlatform({ ...parts, arch: process.arch });
    writeFileSync(at('client'), 'process.stdout.write(`client ${process.argv.slice(2)}`);');
    const archs = [process.arch, other];
    const { licenses } = parts;
    const launcher = await npm.packLauncher({
      version,
      archs,
      client: at('client'),
      licenses,
      directory,
    });

    const home = at('home');
    mkdirSync(home);
    writeFileSync(join(home, 'package.json'), '{"name":"home","version":"1.0.0","private":true}');
    const tool = (name: string, ...args: string[]) => {
      const env = { ...process.env, npm_config_cache: at('cache'), npm_config_offline: 'true' };
      return spawnSync(name, args, { cwd: home, encoding: 'utf8', env, timeout: 60_000 });
    };
    const installed = tool('npm', 'install', '--no-audit', '--no-fund', own, launcher);
    assert.equal(installed.status, 0, installed.stderr);

    const jobd = join(home, 'node_modules', '.bin', 'jobd');
    const run = (args: string[], input = '') => spawnSync(jobd, args, { encoding: 'utf8', input });
    assert.equal(run(['--version']).stdout, `${version}\n`);
    assert.equal(tool('npx', '--offline', 'jobd', '--version').stdout, `${version}\n`);
    const given = run(['a b', '*', ''], 'stdin');
    assert.deepEqual([given.stdout, given.status], ['<a b><*><>stdin', 3]);
    assert.equal(run(['die']).status, 137);

    const waiting = spawn(jobd, ['wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
    t.after(() => waiting.kill('SIGKILL'));
    waiting.stdout.setEncoding('utf8');
    assert.deepEqual(await once(waiting.stdout, 'data'), ['waiting\n']);
    waiting.kill('SIGTERM');
    assert.deepEqual(await once(waiting, 'exit'), [7, null]);

    const manifest = (name: string) =>
      JSON.parse(readFileSync(join(home, 'node_modules', name, 'package.json'), 'utf8'));
    const platform = manifest(`@jobd/linux-${process.arch}`);
    assert.deepEqual(
      [platform.os, platform.cpu, platform.libc, platform.scripts],
      [['linux'], [process.arch], ['glibc'], undefined],
    );
    assert.deepEqual(manifest('jobd').optionalDependencies, {
      [`@jobd/linux-${process.arch}`]: version,
      [`@jobd/linux-${other}`]: version,
    });

    rmSync(join(home, 'node_modules', '@jobd'), { recursive: true });
    // What talks to servers works without it.
    const alone = spawnSync(process.execPath, [jobd, 'jobs', 'list'], { encoding: 'utf8' });
    assert.deepEqual([alone.status, alone.stdout], [0, 'client jobs,list']);
  },
);
