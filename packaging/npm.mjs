/**
 * The npm packages: `jobd` is a launcher, `@jobd/linux-ARCH` the executable for a machine. npm installs only the one whose `os`, `cpu` and
 * `libc` fit. Where none does, the launcher runs a bundle of the commands that talk to servers. No package has an install script (docs/decisions/0055-upgrades.md#packages-without-questions-and-spans-by-a-file-of-ours).
 */

import { execFile } from 'node:child_process';
import { copyFile, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** The names of the tarballs, as `npm pack` gives them. */
export const tarballs = {
  launcher: (version) => `jobd-${version}.tgz`,
  platform: (version, arch) => `jobd-linux-${arch}-${version}.tgz`,
};

/** Packs the launcher, which asks for the platform packages of these architectures, and the bundle. Resolves with the path. */
export async function packLauncher({ version, archs, client, licenses, directory }) {
  const names = archs.map((arch) => [`@jobd/linux-${arch}`, version]);
  return await packed(directory, tarballs.launcher(version), async (work) => {
    await copyFile(join(root, 'packaging', 'npm', 'launch.cjs'), join(work, 'jobd.cjs'));
    await copyFile(join(root, 'packaging', 'npm', 'README.md'), join(work, 'README.md'));
    await copyFile(client, join(work, 'client.cjs'));
    await copyFile(licenses, join(work, 'THIRD_PARTY_LICENSES'));
    return {
      name: 'jobd',
      ...(await described(version)),
      bin: { jobd: 'jobd.cjs' },
      engines: { node: '>=18' },
      optionalDependencies: Object.fromEntries(names),
    };
  });
}

/** Packs an executable. Resolves with the path. */
export async function packPlatform({ version, arch, program, licenses, directory }) {
  return await packed(directory, tarballs.platform(version, arch), async (work) => {
    await link(program, join(work, 'jobd')).catch(() => copyFile(program, join(work, 'jobd')));
    await copyFile(licenses, join(work, 'THIRD_PARTY_LICENSES'));
    return {
      name: `@jobd/linux-${arch}`,
      ...(await described(version)),
      os: ['linux'],
      cpu: [arch],
      libc: ['glibc'],
    };
  });
}

/** Packs what `fill` puts into a directory, beside the package.json that it resolves with. */
async function packed(directory, name, fill) {
  const work = await mkdtemp(join(directory, '.npm-'));
  try {
    const content = join(work, 'package');
    await mkdir(content);
    const manifest = await fill(content);
    await copyFile(join(root, 'LICENSE'), join(content, 'LICENSE'));
    await writeFile(join(content, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
    await run('npm', ['pack', content, '--pack-destination', work, '--ignore-scripts'], {
      cwd: work,
    });
    await rename(join(work, name), join(directory, name));
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return join(directory, name);
}

async function described(version) {
  const { description, license } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  return { version, description, license };
}
