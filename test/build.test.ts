import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { version } from '../src/version.ts';
import { makeStore } from './support/running/prepare.ts';
import { tzifOf } from './domain/schedule/tzif-file.ts';
import { authority, goodCertificate, serverKey } from './egress/certificates.ts';

const root = join(import.meta.dirname, '..');
const executable = join(root, 'dist', 'jobd');
const bundle = join(root, 'dist', 'jobd.cjs');

interface Ran {
  exitCode: number | string | null | undefined;
  stdout: string;
  stderr: string;
}

/** Runs a program with only the environment given here. */
function run(file: string, args: string[], env: Record<string, string> = {}, cwd = root) {
  return new Promise<Ran>((resolve) => {
    execFile(file, args, { env, cwd, timeout: 60_000 }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

const versionOnly: Ran = { exitCode: 0, stdout: `${version}\n`, stderr: '' };

describe(
  'the executable',
  { skip: existsSync(executable) ? false : 'dist/jobd is not built' },
  () => {
    let scratch: string;
    let alone: string;
    let jobd: string;

    before(() => {
      scratch = mkdtempSync(join(tmpdir(), 'jobd-test-'));
      // Away from dist/, where it could find the bundle's files beside it.
      alone = join(scratch, 'alone');
      jobd = join(alone, 'jobd');
      mkdirSync(alone);
      cpSync(executable, jobd);
    });

    after(() => {
      rmSync(scratch, { recursive: true });
    });

    test('runs in an otherwise empty directory with an empty environment', async () => {
      assert.deepEqual(await run(jobd, ['--version'], {}, alone), versionOnly);
      assert.deepEqual(readdirSync(alone), ['jobd']);
    });

    test('opens a store and leaves nothing in the temporary directory', async () => {
      const temporary = mkdtempSync(join(scratch, 'tmp-'));
      const data = join(scratch, 'data');
      await makeStore(data);
      const ran = await run(jobd, ['key', 'list', '--data', data], { TMPDIR: temporary }, alone);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(readdirSync(temporary), []);
    });

    test('opens a store when the temporary directory cannot be written', async () => {
      const data = join(scratch, 'data-without-tmp');
      await makeStore(data);
      const env = { TMPDIR: join(scratch, 'absent') };
      const ran = await run(jobd, ['key', 'list', '--data', data], env, alone);
      assert.equal(ran.exitCode, 0, ran.stderr);
    });

    test('prints the licences of its dependencies', async () => {
      const { exitCode, stdout } = await run(jobd, ['licenses'], {}, alone);
      assert.equal(exitCode, 0);
      for (const name of [
        'better-sqlite3',
        'fastify',
        'nodemailer',
        'preact',
        '@preact/signals-core',
        'node-linux-',
        'OpenSSL',
      ]) {
        assert.ok(stdout.includes(name), name);
      }
    });

    test('trusts the authorities of the system', async (t) => {
      const server = createServer({ key: serverKey, cert: goodCertificate }, (_, response) =>
        response.end('{"jobs":[],"nextCursor":null}'),
      );
      await once(server.listen(0, '127.0.0.1'), 'listening');
      t.after(() => server.close());
      const file = join(scratch, 'authority.pem');
      writeFileSync(file, authority);
      const { port } = server.address() as AddressInfo;
      const env = { JOBD_URL: `https://localhost:${port}`, JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
      const list = (more: Record<string, string>) =>
        run(jobd, ['jobs', 'list'], { ...env, ...more });
      const empty = mkdtempSync(join(scratch, 'none-'));
      const none = await list({ SSL_CERT_FILE: join(empty, 'none.pem'), SSL_CERT_DIR: empty });
      assert.equal(none.exitCode, 7);
      assert.match(none.stderr, /certificate/);
      const known = await list({ SSL_CERT_FILE: file, SSL_CERT_DIR: empty });
      assert.equal(known.exitCode, 0, known.stderr);
    });

    test('uses the time-zone files of the system if they are newer', async () => {
      const zones = join(scratch, 'zones');
      mkdirSync(join(zones, 'America'), { recursive: true });
      writeFileSync(join(zones, 'tzdata.zi'), '# version 2999z\n');
      writeFileSync(join(zones, 'America/Winnipeg'), tzifOf({ first: 5 * 3_600 }));
      const args = ['schedule', 'preview', '0 9 * * *', '--tz', 'America/Winnipeg', '--count', '1'];
      const { stdout, stderr } = await run(jobd, args, { TZDIR: zones });
      assert.match(stdout, /T09:00:00\.000\+05:00\t.*T04:00:00\.000Z/, stderr);
    });

    test('ignores NODE_OPTIONS', async () => {
      const intruder = join(scratch, 'intruder.cjs');
      writeFileSync(intruder, 'process.stdout.write("intruder\\n");');
      for (const options of [`--require=${intruder}`, '--no-such-option']) {
        assert.deepEqual(await run(jobd, ['--version'], { NODE_OPTIONS: options }), versionOnly);
      }
    });
  },
);

describe('the bundle', { skip: existsSync(bundle) ? false : 'dist/jobd.cjs is not built' }, () => {
  let scratch: string;

  before(() => {
    scratch = mkdtempSync(join(tmpdir(), 'jobd-test-'));
  });

  after(() => {
    rmSync(scratch, { recursive: true });
  });

  test('starts through bin/jobd and opens a store', async () => {
    const data = join(scratch, 'data');
    await makeStore(data);
    const args = [join(root, 'bin', 'jobd'), 'key', 'list', '--data', data];
    const ran = await run(process.execPath, args);
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
});

describe('bin/jobd', () => {
  test('says how to build when the bundle is missing', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'jobd-test-'));
    t.after(() => rmSync(scratch, { recursive: true }));
    cpSync(join(root, 'bin'), join(scratch, 'bin'), { recursive: true });
    cpSync(join(root, 'package.json'), join(scratch, 'package.json'));
    assert.deepEqual(await run(process.execPath, [join(scratch, 'bin', 'jobd')]), {
      exitCode: 1,
      stdout: '',
      stderr: 'jobd: dist/jobd.cjs is missing, make it with: npm run build\n',
    });
  });
});

describe('build.mjs', () => {
  test('refuses unknown options and builds nothing', async () => {
    const rows: [args: string[], words: RegExp][] = [
      [['--packge'], /Unknown option '--packge'/],
      [['--release', '--arch', 'mips'], /--arch must be x64 or arm64, got mips\n$/],
      [['--arch', 'arm64'], /--arch and --all go with --release\n$/],
    ];
    for (const [args, words] of rows) {
      const ran = await run(process.execPath, [join(root, 'build.mjs'), ...args]);
      assert.deepEqual([ran.exitCode, ran.stdout], [1, ''], args.join(' '));
      assert.match(ran.stderr, /^build\.mjs: [^\n]+\n$/);
      assert.match(ran.stderr, words);
    }
  });
});
