/**
 * install.sh, in throw-away copies of this system: what it does, and that a failure changes
 * nothing.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { rootWorksForTheService } from '../../support/checks/commands-of-root.ts';
import { startSink } from '../../support/fakes/sink.ts';
import { ownPort } from '../../support/own-port.ts';
import { executable, notPackaged } from '../../support/running/executable.ts';
import type { Ran } from '../../support/running/program.ts';
import {
  addSystemd,
  offerFile,
  releaseName as name,
  releaseOf,
  sha256,
} from '../../support/running/service.ts';
import { makeThrowAwayRoot, noThrowAwayRoot } from '../../support/running/throw-away-root.ts';
import type { ThrowAwayRoot } from '../../support/running/throw-away-root.ts';

const script = join(import.meta.dirname, '..', '..', '..', 'install.sh');

/** A program that answers like this version of jobd, but cannot serve. */
const jobdOf = (version: string): string => `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n`;

/** A server of these files; `files` may change. */
async function serveFiles(t: TestContext, files: Record<string, string | Uint8Array>) {
  const { url } = await startSink(t, (response, { path }) => {
    const file = files[path.slice(1)];
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  return url;
}

/** The words of the command that it prints last. */
function lastLineOf(output: string): string[] {
  return output.trimEnd().split('\n').at(-1)?.trim().split(' ') ?? [];
}

/** Signs in by the link that a command printed. Resolves with the status. */
async function signIn(port: number, { stdout, stderr }: Ran): Promise<number> {
  const link = /^http:\/\/127\.0\.0\.1:(\d+)\/sign-in#code=(\S+)$/m.exec(stdout);
  assert.equal(link?.[1], String(port), stdout + stderr);
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: link?.[2] }),
  });
  return response.status;
}

async function rootWithScript(t: TestContext): Promise<ThrowAwayRoot> {
  const root = await makeThrowAwayRoot(t);
  root.copy(script, '/install.sh');
  return root;
}

/** The files that an installation creates. */
function made(root: ThrowAwayRoot): string[] {
  const paths = ['/usr/local/bin/jobd', '/usr/local/bin/jobd.previous', '/var/lib/jobd'];
  return [...paths, '/etc/jobd', '/etc/systemd/system/jobd.service'].filter((path) =>
    root.has(path),
  );
}

/** Runs it where it must fail with one message and change nothing. */
async function assertRefused(
  root: ThrowAwayRoot,
  { args = [], env = {} }: { args?: string[]; env?: Record<string, string> },
  words: RegExp,
): Promise<void> {
  const before = made(root);
  const { exitCode, stderr } = await root.run(['sh', '/install.sh', ...args], env);
  assert.equal(exitCode, 1, stderr);
  assert.match(stderr, words);
  assert.deepEqual(made(root), before);
  const { stdout } = await root.run(['ls', '-A', '/usr/local/bin']);
  assert.doesNotMatch(stdout, /jobd-install/, 'something was left');
}

test('install.sh passes shellcheck', (t) => {
  const { error, stdout } = spawnSync('shellcheck', [script], { encoding: 'utf8' });
  if (error !== undefined) return t.skip('shellcheck is not installed');
  assert.equal(stdout, '');
});

describe('install.sh', { skip: noThrowAwayRoot }, () => {
  test('installs, does nothing again, upgrades and keeps the previous version, and uninstalls', async (t) => {
    const root = await rootWithScript(t);
    const files = releaseOf(jobdOf('1.0.0'));
    const env = { JOBD_DOWNLOAD_URL: await serveFiles(t, files) };
    const install = async (...args: string[]) => {
      const ran = await root.run(['sh', '/install.sh', ...args], env);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.equal(ran.stderr, '');
      return ran.stdout;
    };
    const version = async (file: string) => (await root.run([file, '--version'])).stdout.trim();
    const mode = async (path: string) =>
      (await root.run(['stat', '-c', '%U:%G %a', path])).stdout.trim();

    assert.match(await install(), /installed jobd 1\.0\.0 in \/usr\/local\/bin\n/);
    assert.equal(await version('/usr/local/bin/jobd'), '1.0.0');
    assert.equal(await mode('/usr/local/bin/jobd'), 'root:root 755');
    assert.equal(await mode('/var/lib/jobd'), 'jobd:jobd 700');
    assert.equal(await mode('/etc/jobd/jobd.env'), 'root:jobd 640');
    assert.equal(await mode('/etc/systemd/system/jobd.service'), 'root:root 644');
    assert.ok(!root.has('/usr/local/bin/jobd.previous'));
    const unit = root.read('/etc/systemd/system/jobd.service');
    for (const line of ['LimitCORE=0', 'MemoryMax=75%', 'TasksMax=256']) {
      assert.ok(unit.split('\n').includes(line), line);
    }

    root.write('/etc/jobd/jobd.env', 'JOBD_PORT=9000\n');
    root.write('/var/lib/jobd/jobd.db', 'precious');
    assert.match(await install(), /jobd 1\.0\.0 is already installed in \/usr\/local\/bin\n/);
    assert.ok(!root.has('/usr/local/bin/jobd.previous'));

    Object.assign(files, releaseOf(jobdOf('1.1.0')));
    assert.match(await install(), /the previous version is \/usr\/local\/bin\/jobd\.previous\n/);
    assert.equal(await version('/usr/local/bin/jobd'), '1.1.0');
    assert.equal(await version('/usr/local/bin/jobd.previous'), '1.0.0');
    assert.equal(root.read('/etc/jobd/jobd.env'), 'JOBD_PORT=9000\n');

    await install('--prefix', '/opt/second', '--no-service');
    const one = await install('--uninstall', '--prefix', '/opt/second');
    assert.match(one, /kept the service, which runs another jobd/);
    assert.doesNotMatch(one, /userdel/);
    assert.ok(!root.has('/opt/second/bin/jobd'));
    assert.ok(root.has('/usr/local/bin/jobd') && root.has('/etc/systemd/system/jobd.service'));

    assert.match(
      await install('--uninstall'),
      /kept the user jobd, and \/var\/lib\/jobd \/etc\/jobd \/var\/backups\/jobd; to remove them too:\n {2}rm -r \/var\/lib\/jobd \/etc\/jobd \/var\/backups\/jobd && userdel jobd\n/,
    );
    assert.deepEqual(made(root), ['/var/lib/jobd', '/etc/jobd']);
    assert.equal(root.read('/var/lib/jobd/jobd.db'), 'precious');
  });

  test("blocks metadata services for the service, except the machine's own DNS servers", async (t) => {
    const root = await rootWithScript(t);
    const env = { JOBD_DOWNLOAD_URL: await serveFiles(t, releaseOf(jobdOf('1.0.0'))) };
    const denied = async (resolvConf: string): Promise<string[]> => {
      // It may be a link to a path that is not mounted here.
      await root.run(['rm', '--force', '/etc/resolv.conf']);
      root.write('/etc/resolv.conf', resolvConf);
      assert.equal((await root.run(['sh', '/install.sh'], env)).exitCode, 0);
      const unit = root.read('/etc/systemd/system/jobd.service');
      return Array.from(unit.matchAll(/^IPAddressDeny=(.*)$/gm), ([, address = '']) => address);
    };
    const [ipv4, azure] = ['169.254.169.254', '168.63.129.16'];
    const others = ['100.100.100.200', '192.0.0.192'];
    const ipv6 = ['fd00:ec2::254', 'fd20:ce::254'];
    const elsewhere =
      '# nameserver 169.254.169.254\nnameserver 169.254.169.25\nnameserver 1.1.1.1\n';
    assert.deepEqual(await denied(elsewhere), [ipv4, ...ipv6, azure, ...others]);
    assert.deepEqual(await denied(`nameserver ${ipv4}\n`), [...ipv6, azure, ...others]);
    assert.deepEqual(await denied(`search a.test\nnameserver\t${azure}`), [
      ipv4,
      ...ipv6,
      ...others,
    ]);
  });

  test('installs nothing whose checksum is wrong', async (t) => {
    const root = await rootWithScript(t);
    const genuine = releaseOf(jobdOf('1.0.0'));
    const files = { ...genuine };
    const env = { JOBD_DOWNLOAD_URL: await serveFiles(t, files) };
    const packed = Buffer.from(genuine[`${name}.gz`] ?? '');
    const other = releaseOf(jobdOf('6.6.6'));
    const rows: [change: Record<string, string | Uint8Array>, words: RegExp][] = [
      [{ [`${name}.gz`]: other[`${name}.gz`] ?? '' }, /gz does not match its checksum/],
      [{ [`${name}.gz`]: packed.subarray(0, 40) }, /gz does not match its checksum/],
      [{ SHA256SUMS: `${'0'.repeat(64)}  other\n` }, /SHA256SUMS does not list jobd-linux/],
      [{ SHA256SUMS: '' }, /SHA256SUMS does not list jobd-linux/],
      [
        { SHA256SUMS: `${sha256('')}  ${name}\n${sha256(packed)}  ${name}.gz\n` },
        /jobd-linux-\w+ does not match its checksum/,
      ],
      [releaseOf('#!/bin/sh\necho out of luck >&2; exit 1\n'), /does not run here: out of luck/],
    ];
    for (const [change, words] of rows) {
      Object.assign(files, genuine, change);
      await assertRefused(root, { env }, words);
      await assertRefused(root, { env, args: ['--prefix', '/opt/mine'] }, words);
      assert.ok(!root.has('/opt/mine/bin'), 'an empty directory was left');
    }
    Object.assign(files, genuine);
    assert.equal((await root.run(['sh', '/install.sh'], env)).exitCode, 0);
  });

  test('says what it needs if it cannot download', async (t) => {
    const root = await rootWithScript(t);
    const files = releaseOf(jobdOf('1.0.0'));
    const served = await serveFiles(t, files);
    const rows: [url: string, words: RegExp][] = [
      ['', /set JOBD_DOWNLOAD_URL to the download location, or use --from FILE/],
      [
        'http://127.0.0.1:9',
        /cannot download http:\/\/127\.0\.0\.1:9\/SHA256SUMS; nothing was changed/,
      ],
      [`${served}/absent`, /cannot download \S+absent\/SHA256SUMS; nothing was changed/],
      ['http://downloads.example.com', /must be an https URL, got http:\/\/downloads/],
      ['http://127.0.0.1.example.com', /must be an https URL, got/],
      ['ftp://127.0.0.1', /must be an https URL, got/],
      ['http://127.0.0.1:80@downloads.example.com', /must be an https URL, got/],
    ];
    for (const [url, words] of rows) {
      await assertRefused(root, { env: { JOBD_DOWNLOAD_URL: url } }, words);
    }
    await assertRefused(root, { args: ['--from', '/absent'] }, /there is no file \/absent/);
    await assertRefused(root, { args: ['--frmo'] }, /unknown option --frmo/);
  });

  test('says where jobd cannot run, before downloading anything', async (t) => {
    const root = await rootWithScript(t);
    const rows: [tool: string, output: string, words: RegExp][] = [
      ['getconf', 'echo glibc 2.31', /needs glibc 2\.34 or newer, this system has 2\.31/],
      ['getconf', 'exit 1', /Alpine and other musl systems are not supported/],
      [
        'uname',
        '[ "$1" = -s ] && echo Linux || echo riscv64',
        /supports x86_64 and aarch64, this is riscv64/,
      ],
      ['uname', 'echo Darwin', /jobd needs Linux, this is Darwin/],
    ];
    for (const [tool, output, words] of rows) {
      root.write(`/usr/local/sbin/${tool}`, `#!/bin/sh\n${output}\n`, 0o755);
      await assertRefused(root, { env: { JOBD_DOWNLOAD_URL: 'http://127.0.0.1:9' } }, words);
      await root.run(['rm', `/usr/local/sbin/${tool}`]);
    }
  });

  test('installs an older version only if it is told to', async (t) => {
    const root = await rootWithScript(t);
    const install = (version: string, ...args: string[]) =>
      root.run(['sh', '/install.sh', '--from', offerFile(root, jobdOf(version)), ...args]);
    assert.equal((await install('1.10.0')).exitCode, 0);
    for (const older of ['1.9.0', '1.10.0-rc.1', '0.11.0']) {
      const { exitCode, stderr } = await install(older);
      assert.equal(exitCode, 1);
      assert.match(
        stderr,
        /is older than jobd 1\.10\.0, which is in \/usr\/local\/bin; nothing was/,
      );
      assert.equal((await root.run(['/usr/local/bin/jobd', '--version'])).stdout, '1.10.0\n');
    }
    assert.equal((await install('1.9.0', '--allow-older')).exitCode, 0);
    for (const newer of ['1.10.0-rc.1', '1.10.0', '2.0.0']) {
      assert.equal((await install(newer)).exitCode, 0, newer);
    }
  });

  test('does nothing if the script itself was truncated', async (t) => {
    const root = await rootWithScript(t);
    const env = { JOBD_DOWNLOAD_URL: await serveFiles(t, releaseOf(jobdOf('1.0.0'))) };
    const text = readFileSync(script, 'utf8').trimEnd();
    const cuts = Array.from({ length: 20 }, (_, index) => Math.floor((text.length * index) / 20));
    const lastLine = text.lastIndexOf('\n') + 1;
    for (let at = lastLine; at < text.length; at += 1) cuts.push(at);
    for (const at of cuts) {
      root.write('/cut.sh', text.slice(0, at));
      await root.run(['sh', '/cut.sh'], env);
      assert.deepEqual(made(root), [], `cut at ${at} of ${text.length}`);
    }
  });

  test('installs for a single user without root', async (t) => {
    const root = await rootWithScript(t);
    const env = {
      HOME: '/home/ann',
      JOBD_DOWNLOAD_URL: await serveFiles(t, releaseOf(jobdOf('1.0.0'))),
    };
    await root.run(['install', '-d', '-o', '65534', '/home/ann']);
    const asAnn = [
      'setpriv',
      '--reuid=65534',
      '--regid=65534',
      '--clear-groups',
      'sh',
      '/install.sh',
    ];
    const { exitCode, stdout, stderr } = await root.run(asAnn, env);
    assert.equal(exitCode, 0, stderr);
    assert.match(stdout, /\/home\/ann\/\.local\/bin is not in PATH/);
    assert.ok(root.has('/home/ann/.local/bin/jobd'));
    assert.deepEqual(made(root), []);
    const removed = await root.run([...asAnn, '--uninstall'], env);
    assert.equal(removed.exitCode, 0, removed.stderr);
    assert.ok(!root.has('/home/ann/.local/bin/jobd'));
  });

  test(
    'starts the service, restarts it on an upgrade, and rolls back if the new version fails',
    { skip: notPackaged },
    async (t) => {
      const root = await rootWithScript(t);
      const port = await ownPort();
      addSystemd(root);
      root.write('/etc/jobd/jobd.env', `JOBD_PORT=${port}\n`);
      const offer = (program: string | Uint8Array): string => offerFile(root, program);
      const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
      const genuine = readFileSync(executable);

      const first = await root.run(['sh', '/install.sh', '--from', offer(genuine)]);
      assert.equal(first.exitCode, 0, first.stderr);
      assert.match(first.stdout, /the service jobd is running\n/);
      assert.equal(await ready(), 200);
      assert.ok(root.has('/var/lib/jobd/native'), 'its data is not where the service keeps it');
      const pid = root.read('/run/jobd.pid');
      assert.equal(await signIn(port, await root.run(lastLineOf(first.stdout))), 201);
      await rootWorksForTheService(root);

      // Bytes after the end of an ELF file are not loaded: another file, the same program.
      const next = offer(Buffer.concat([genuine, Buffer.from('next')]));
      const second = await root.run(['sh', '/install.sh', '--from', next]);
      assert.equal(second.exitCode, 0, second.stderr);
      assert.match(second.stdout, /restarted the service jobd\n/);
      assert.notEqual(root.read('/run/jobd.pid'), pid);
      assert.equal(await ready(), 200);

      const doctor = async () => await root.run(['jobd', 'doctor']);
      root.write('/etc/jobd/jobd.env', `JOBD_PORT=${port}\nJOBD_ALOW_TARGETS=1\n`);
      const warned = await doctor();
      assert.match(
        warned.stdout,
        /^warn\tconfiguration\tJOBD_ALOW_TARGETS .* JOBD_ALLOW_TARGETS\?/m,
      );
      assert.equal(warned.exitCode, 0, warned.stdout);
      root.write('/etc/jobd/jobd.env', 'JOBD_PORT=many\n');
      const wrong = await doctor();
      assert.match(wrong.stdout, /^fail\tconfiguration\t--port \(or JOBD_PORT\) must be/m);
      assert.equal(wrong.exitCode, 1);
      root.write('/etc/jobd/jobd.env', `JOBD_PORT=${port}\n`);
      assert.equal((await root.run(['jobd', 'doctor', '--ready'])).stdout, 'ready\n');

      const broken = await root.run(['sh', '/install.sh', '--from', offer(jobdOf('6.6.6'))]);
      assert.equal(broken.exitCode, 1);
      assert.match(broken.stderr, /jobd 6\.6\.6 did not start; the previous version runs again/);
      assert.equal(await ready(), 200);
      assert.notEqual((await root.run(['/usr/local/bin/jobd', '--version'])).stdout, '6.6.6\n');

      // One that the operator has stopped stays so.
      await root.run(['systemctl', 'stop', 'jobd']);
      const stopped = await root.run(['sh', '/install.sh', '--from', next]);
      assert.equal(stopped.exitCode, 0, stopped.stderr);
      assert.match(stopped.stdout, /the service jobd is stopped, and stays so/);
      await assert.rejects(ready());

      const gone = await root.run(['sh', '/install.sh', '--uninstall']);
      assert.equal(gone.exitCode, 0, gone.stderr);
      await assert.rejects(ready());
      assert.ok(root.has('/var/lib/jobd/jobd.db'));
    },
  );
});
