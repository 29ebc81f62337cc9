/**
 * What @yao-pkg/pkg builds from a loader, pieces and Node. packaging/ calls an undocumented
 * function of pkg: these tests decide whether another version of pkg can be used.
 */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { temporaryDirectory } from '../../support/directory.ts';
import { executable, notPackaged } from '../../support/running/executable.ts';

const packaging = join(import.meta.dirname, '..', '..', '..', 'packaging');
const notLinux = process.platform === 'linux' ? false : 'executables are made on Linux';
const noNetworkNamespace =
  spawnSync('unshare', ['--net', 'true']).status === 0
    ? false
    : 'no network namespace can be made here';

/** A program that prints how it runs. The loader finds it by the name of its asset. */
const probe = `(function(exports,require,module){
  process.stdout.write(JSON.stringify({
    flags: process.execArgv,
    words: process.argv.slice(2),
    stack: new Error('here').stack.split('\\n').slice(1).join(' '),
  }));
})`;

/** What Node and V8 are told. */
const flags = [
  '--max-semi-space-size=8',
  '--min-semi-space-size=8',
  '--disable-sigusr1',
  '--use-system-ca',
];

interface Said {
  flags: string[];
  words: string[];
  stack: string;
}

/** Packages the probe without a network. Returns the executable's path. */
function packageProbe(t: TestContext, arch: string): string {
  const work = mkdtempSync(join(temporaryDirectory(t), 'work-'));
  const piece = join(work, 'main.js');
  writeFileSync(piece, probe);
  const output = join(work, 'probe');
  const node = join(work, 'node');
  const options = { arch, maker: process.execPath, node, assets: { './main.js': piece } };
  const script = `
    const { writeStripped } = await import('${packaging}/base.mjs');
    const { injectInto } = await import('${packaging}/executable.mjs');
    await writeStripped(process.execPath, ${JSON.stringify(node)});
    await injectInto(${JSON.stringify({ ...options, output, work })});`;
  // An empty home directory: pkg would look for earlier downloads there.
  const env = { PATH: process.env['PATH'], HOME: work };
  const args = ['--net', process.execPath, '--input-type=module', '--eval', script];
  execFileSync('unshare', args, { env, stdio: 'pipe', timeout: 120_000 });
  return output;
}

function run(file: string, words: string[], env: Record<string, string>): Said {
  const said: Said = JSON.parse(execFileSync(file, words, { env, encoding: 'utf8' }));
  return said;
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

describe('pkg, without a network', { skip: notLinux || noNetworkNamespace }, () => {
  const other = process.arch === 'x64' ? 'arm64' : 'x64';

  test('sets the flags, ignores NODE_OPTIONS and shows no path of the build machine', (t) => {
    const file = packageProbe(t, process.arch);
    const said = run(file, ['a', '--expose-gc'], { NODE_OPTIONS: '--no-such-option' });
    assert.deepEqual(said.flags, flags);
    assert.deepEqual(said.words, ['a', '--expose-gc']);
    assert.match(said.stack, /main\.js:/);
    assert.match(said.stack, /\.\.\/loader\.cjs:/);
    assert.doesNotMatch(said.stack, /tmp|work-|pkg-sea/);
    assert.ok(!readFileSync(file).includes(file.slice(0, file.lastIndexOf('/'))));
  });

  test('builds identical bytes from the same input, for another architecture as well', (t) => {
    // This machine's Node stands in for another architecture: pkg does not check, and the result
    // can be run.
    const [first, second] = [packageProbe(t, other), packageProbe(t, other)];
    assert.deepEqual(run(first, [], {}).flags, flags);
    assert.equal(sha256(first), sha256(second));
  });
});

describe('the executable', { skip: notPackaged }, () => {
  test('is smaller than the Node it is made of', () => {
    assert.ok(statSync(executable).size < statSync(process.execPath).size);
  });
});
