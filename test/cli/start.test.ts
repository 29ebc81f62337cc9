/** Which modules a command loads: it runs in shell loops, so its start time matters. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory } from '../support/directory.ts';

const main = join(import.meta.dirname, '..', '..', 'src', 'main.ts');

/** The packages and Node modules that a command loads. */
async function loadedBy(t: TestContext, args: string[]): Promise<Set<string>> {
  const directory = temporaryDirectory(t);
  const [witness, seen] = [join(directory, 'witness.mjs'), join(directory, 'seen')];
  writeFileSync(
    witness,
    `import { registerHooks } from 'node:module';
    import { writeFileSync } from 'node:fs';
    const urls = [];
    registerHooks({ load(url, context, next) { urls.push(url); return next(url, context); } });
    process.on('exit', () => writeFileSync(${JSON.stringify(seen)}, urls.join('\\n')));`,
  );
  const env = {
    JOBD_URL: 'http://127.0.0.1:9',
    JOBD_API_KEY: `cp_${'0'.repeat(64)}`,
    JOBD_DATA: join(directory, 'data'),
  };
  const options = { env, timeout: 60_000 };
  // Its exit code is tested elsewhere.
  const running = promisify(execFile)(
    process.execPath,
    ['--import', witness, main, ...args],
    options,
  );
  if (args.includes('--port'))
    running.child.stdout?.once('data', () => running.child.kill('SIGTERM'));
  await running.catch(() => {});
  const urls = readFileSync(seen, 'utf8').split('\n');
  const names = urls.map(
    (url) => /^node:.+|(?<=.*node_modules\/)(?:@[^/]+\/)?[^/]+/.exec(url)?.[0],
  );
  return new Set(names.filter((name) => name !== undefined));
}

/** Packages that every command may load. */
const light = new Set(['commander', 'fast-string-truncated-width']);

test('commands that need no store load nothing heavy', async (t) => {
  const rows = [
    ['--version'],
    ['--help'],
    ['jobs', 'list'],
    ['monitors', 'list'],
    ['channels', 'list'],
    ['runs', 'list', 'a'],
    ['jobs', 'create', '--help'],
    ['serve', '--help'],
    ['licenses'],
  ];
  for (const args of rows) {
    const loaded = await loadedBy(t, args);
    const packages = [...loaded].filter((name) => !name.startsWith('node:'));
    const heavy = packages.filter((name) => !light.has(name));
    assert.deepEqual(heavy, [], args.join(' '));
  }
});

test('verifying receipts loads only cryptography', async (t) => {
  const directory = temporaryDirectory(t);
  const loaded = await loadedBy(t, ['verify', directory, directory]);
  const packages = [...loaded].filter((name) => !name.startsWith('node:'));
  const own = new Set([...light, '@noble/ed25519', '@noble/hashes']);
  assert.deepEqual(
    packages.filter((name) => !own.has(name)),
    [],
  );
});

test('--version loads no client, and the client loads no TLS', async (t) => {
  assert.ok(!(await loadedBy(t, ['--version'])).has('node:http'));
  const client = await loadedBy(t, ['jobs', 'list']);
  assert.ok(client.has('node:http') && !client.has('node:https'));
});

test('without a database on a server, nothing for one is loaded', async (t) => {
  const loaded = await loadedBy(t, ['serve', '--port', '0']);
  assert.ok(loaded.has('better-sqlite3'));
  assert.deepEqual(
    [...loaded].filter((name) => name.startsWith('pg')),
    [],
  );
});

test('the check notices when a command loads the store', async (t) => {
  const loaded = await loadedBy(t, ['key', 'list']);
  for (const name of ['kysely', 'better-sqlite3']) assert.ok(loaded.has(name), name);
});
