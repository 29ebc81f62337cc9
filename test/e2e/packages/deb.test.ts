/** The Debian package, with dpkg itself, in throw-away copies of this system: what it does, and that data always stays. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { findService } from '../../../src/cli/operator/service.ts';
import { rootWorksForTheService } from '../../support/checks/commands-of-root.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { ownPort } from '../../support/own-port.ts';
import { executable, notPackaged } from '../../support/running/executable.ts';
import { addSystemd } from '../../support/running/service.ts';
import { makeThrowAwayRoot, noThrowAwayRoot } from '../../support/running/throw-away-root.ts';
import type { ThrowAwayRoot } from '../../support/running/throw-away-root.ts';
import { until } from '../../support/until.ts';

const packaging = join(import.meta.dirname, '..', '..', '..', 'packaging');

interface DebParts {
  version: string;
  arch: string;
  program: string;
  pages: Record<string, string>;
  licenses: string;
  outfile: string;
  compression: string;
}

/** Build scripts have no types. */
const deb: {
  makeDeb(parts: DebParts): Promise<void>;
  packagedUnit(): string;
  maintainerScript(name: string): Promise<string>;
} = await import(join(packaging, 'deb.mjs'));
const { unitText }: { unitText: (values: Record<string, string>) => string } = await import(
  join(packaging, 'installer.mjs')
);

const noDpkg =
  spawnSync('dpkg-deb', ['--version']).status === 0 ? noThrowAwayRoot : 'dpkg is not installed';
const unitPath = '/usr/lib/systemd/system/jobd.service';
const filterPath = '/etc/systemd/system/jobd.service.d/cloud-metadata.conf';
const settingsPath = '/etc/jobd/jobd.env';

/** A program that answers like this version of jobd, but cannot serve. */
const jobdOf = (version: string): string => `#!/bin/sh\n[ "$1" = --version ] && echo ${version}\n`;

/** Puts a package of this program into the root. Returns its path there. */
async function offer(
  t: TestContext,
  root: ThrowAwayRoot,
  version: string,
  program: string | Uint8Array = jobdOf(version),
): Promise<string> {
  const directory = temporaryDirectory(t);
  const at = (name: string): string => join(directory, name);
  writeFileSync(at('jobd'), program, { mode: 0o755 });
  writeFileSync(at('licenses'), 'licences of others\n');
  await deb.makeDeb({
    version,
    arch: process.arch,
    program: at('jobd'),
    pages: { 'usr/share/man/man1/jobd.1.gz': '.TH jobd 1\n' },
    licenses: at('licenses'),
    outfile: at('jobd.deb'),
    compression: 'none',
  });
  root.copy(at('jobd.deb'), '/offer/jobd.deb');
  // The index of all manual pages of this machine takes long.
  await root.run(['rm', '--force', '/var/lib/man-db/auto-update']);
  return '/offer/jobd.deb';
}

async function dpkg(root: ThrowAwayRoot, ...args: string[]): Promise<string> {
  const ran = await root.run(['dpkg', '--force-unsafe-io', ...args], {
    DEBIAN_FRONTEND: 'noninteractive',
  });
  assert.equal(ran.exitCode, 0, ran.stderr + ran.stdout);
  return ran.stdout;
}

async function mode(root: ThrowAwayRoot, path: string): Promise<string> {
  return (await root.run(['stat', '-c', '%U:%G %a', path])).stdout.trim();
}

describe('the Debian package', { skip: noDpkg }, () => {
  test('installs, upgrades, is removed and purged, and never touches data', async (t) => {
    const root = await makeThrowAwayRoot(t);
    const first = await dpkg(root, '--install', await offer(t, root, '1.0.0'));
    assert.match(first, /created the user jobd\n/);
    assert.match(
      first,
      /settings are in \S+, data is in \S+; sign in with a browser: sudo jobd open/,
    );
    assert.equal(await mode(root, '/usr/bin/jobd'), 'root:root 755');
    assert.equal(await mode(root, '/var/lib/jobd'), 'jobd:jobd 700');
    assert.equal(await mode(root, settingsPath), 'root:jobd 640');
    assert.equal(await mode(root, unitPath), 'root:root 644');
    assert.equal(await mode(root, filterPath), 'root:root 644');
    assert.match(root.read(filterPath), /^\[Service\]\nIPAddressDeny=/m);
    assert.equal((await root.run(['jobd', '--version'])).stdout, '1.0.0\n');
    assert.equal(await dpkg(root, '--verify', 'jobd'), '');

    root.write(settingsPath, 'JOBD_PORT=9000\n');
    root.write('/var/lib/jobd/jobd.db', 'precious');
    const again = await dpkg(root, '--install', await offer(t, root, '1.1.0'));
    assert.doesNotMatch(again, /sign in|created/);
    assert.equal((await root.run(['jobd', '--version'])).stdout, '1.1.0\n');
    assert.equal(root.read(settingsPath), 'JOBD_PORT=9000\n');
    await root.run(['/var/lib/dpkg/info/jobd.postinst', 'configure', '1.1.0']);
    assert.equal(root.read(settingsPath), 'JOBD_PORT=9000\n');

    await dpkg(root, '--remove', 'jobd');
    assert.ok(!root.has('/usr/bin/jobd') && !root.has(unitPath) && !root.has(filterPath));
    assert.equal(root.read(settingsPath), 'JOBD_PORT=9000\n');
    await dpkg(root, '--install', '/offer/jobd.deb');
    assert.equal(root.read('/var/lib/jobd/jobd.db'), 'precious');

    const purged = await dpkg(root, '--purge', 'jobd');
    assert.match(
      purged,
      /kept \/var\/lib\/jobd, .*\n {2}rm -r \/var\/lib\/jobd \/var\/backups\/jobd && userdel jobd\n/,
    );
    assert.ok(!root.has('/etc/jobd') && !root.has('/etc/systemd/system/jobd.service.d'));
    assert.equal(root.read('/var/lib/jobd/jobd.db'), 'precious');
    const { stdout } = await root.run(['find', '/etc', '/usr', '-name', '*jobd*']);
    assert.equal(stdout, '', 'something was left');
  });

  test('a purge keeps settings that have the master key of the data', async (t) => {
    const root = await makeThrowAwayRoot(t);
    await dpkg(root, '--install', await offer(t, root, '1.0.0'));
    root.write(settingsPath, 'JOBD_SECRET_KEY=x\n');
    assert.match(await dpkg(root, '--purge', 'jobd'), /kept \/etc\/jobd\/jobd\.env, which has the/);
    assert.equal(root.read(settingsPath), 'JOBD_SECRET_KEY=x\n');
  });

  test('package and install.sh refuse to install beside each other', async (t) => {
    const root = await makeThrowAwayRoot(t);
    const unit = '/etc/systemd/system/jobd.service';
    root.write(unit, '[Service]\nExecStart=/usr/local/bin/jobd serve\n');
    const path = await offer(t, root, '1.0.0');
    const refused = await root.run(['dpkg', '--install', path]);
    assert.notEqual(refused.exitCode, 0);
    assert.match(
      refused.stderr,
      /remove that first, its data and settings stay: sh install\.sh --uninst/,
    );
    assert.ok(!root.has('/usr/bin/jobd'));

    root.write(unit, '[Service]\nExecStart=/usr/bin/jobd serve --port 9000\n');
    await dpkg(root, '--install', path);
    root.copy(join(packaging, '..', 'install.sh'), '/install.sh');
    const script = await root.run(['sh', '/install.sh', '--from', '/offer/absent']);
    assert.equal(script.exitCode, 1);
    assert.match(
      script.stderr,
      /the package jobd is installed here: upgrade that \(apt\), or remove/,
    );
  });

  test(
    'starts the service, restarts it on an upgrade, and stops it when it is removed',
    { skip: notPackaged },
    async (t) => {
      const root = await makeThrowAwayRoot(t);
      const port = await ownPort();
      addSystemd(root);
      // Images for containers forbid packages to start services.
      await root.run(['rm', '--force', '/usr/sbin/policy-rc.d']);
      root.write(settingsPath, `JOBD_PORT=${port}\n`);
      const ready = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status;
      const isReady = () =>
        until('jobd is ready', async () => (await ready().catch(() => 0)) === 200);
      const genuine = readFileSync(executable);

      await dpkg(root, '--install', await offer(t, root, '1.0.0', genuine));
      await isReady();
      assert.ok(root.has('/var/lib/jobd/native'), 'its data is not where the service keeps it');
      const pid = root.read('/run/jobd.pid');
      const opened = await root.run(['jobd', 'open']);
      assert.match(opened.stdout, new RegExp(`^http://127\\.0\\.0\\.1:${port}/sign-in#code=`, 'm'));
      await rootWorksForTheService(root);

      await dpkg(root, '--install', await offer(t, root, '1.0.1', genuine));
      await isReady();
      assert.notEqual(root.read('/run/jobd.pid'), pid);

      await root.run(['systemctl', 'stop', 'jobd']);
      await dpkg(root, '--install', await offer(t, root, '1.0.2', genuine));
      await assert.rejects(ready(), 'what was stopped is not started');
      await root.run(['systemctl', 'start', 'jobd']);

      // An upgrade after which it does not serve any more has failed, until it does.
      root.write(settingsPath, 'JOBD_PORT=many\n');
      const path = await offer(t, root, '1.0.3', genuine);
      const failed = await root.run(['dpkg', '--install', path]);
      assert.notEqual(failed.exitCode, 0);
      assert.match(failed.stdout, /jobd: the service did not start/);
      root.write(settingsPath, `JOBD_PORT=${port}\n`);
      await dpkg(root, '--configure', '--pending');
      await isReady();

      const refused = await root.run(['jobd', 'upgrade', '--from', '/absent']);
      assert.equal(refused.exitCode, 5);
      assert.match(refused.stderr, /belongs to a package of Debian\n.* sudo apt upgrade jobd\n/);

      await dpkg(root, '--remove', 'jobd');
      await assert.rejects(ready());
      assert.ok(root.has('/var/lib/jobd/jobd.db'));
    },
  );
});

test('the unit of the package is that of install.sh, but for its paths and the addresses it denies', () => {
  const settings = '/etc/jobd/jobd.env';
  const paths = { bin: '/usr/local/bin', settings, backups: '/var/backups/jobd', filter: 'F' };
  const ofScript = unitText({ ...paths, refresh: 'R' });
  const ofPackage = deb.packagedUnit();
  const differences = ofPackage.split('\n').filter((line) => !ofScript.split('\n').includes(line));
  assert.deepEqual(differences, [
    'ExecStart=/usr/bin/jobd serve',
    '# After moving to another cloud, run dpkg-reconfigure jobd.',
    `# The addresses are in ${filterPath}`,
  ]);
});

test('systemd accepts the unit', (t) => {
  const directory = temporaryDirectory(t);
  const unit = join(directory, 'jobd.service');
  // It also asks whether the program is there.
  const text = deb.packagedUnit().replace('ExecStart=/usr/bin/jobd', 'ExecStart=/bin/true');
  writeFileSync(unit, text);
  const verify = () =>
    spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  const { error, status, stderr } = verify();
  if (error !== undefined) return t.skip('systemd-analyze is not installed');
  assert.deepEqual([status, ofUnit(stderr)], [0, []]);
  writeFileSync(unit, text.replace('NoNewPrivileges=yes', 'NoNewPrivilege=yes'));
  assert.equal(ofUnit(verify().stderr).length, 1);
});

/** Lines about this unit: others are about the machine. */
function ofUnit(output: string): string[] {
  return output.split('\n').filter((line) => line.includes('jobd.service'));
}

test('the scripts of the package pass shellcheck', async (t) => {
  for (const name of ['preinst', 'postinst', 'prerm', 'postrm']) {
    const input = await deb.maintainerScript(name);
    const { error, stdout } = spawnSync('shellcheck', ['-'], { input, encoding: 'utf8' });
    if (error !== undefined) return t.skip('shellcheck is not installed');
    assert.equal(stdout, '', name);
  }
});

const notRoot = process.getuid?.() === 0 ? false : 'only root can write a unit that is believed';

test("commands find the data of the package's service", { skip: notRoot }, (t) => {
  const unit = join(temporaryDirectory(t), 'jobd.service');
  writeFileSync(unit, deb.packagedUnit());
  assert.equal(
    findService({ settings: '/absent', unit, changes: '/absent' })?.dataDir,
    '/var/lib/jobd',
  );
});
