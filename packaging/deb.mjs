/**
 * The Debian package: the executable, its unit, manual and completions. Made with dpkg-deb alone, which every Debian has
 * (docs/decisions/0055-upgrades.md#packages-without-questions-and-spans-by-a-file-of-ours).
 */

import { execFile, execFileSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { functionsOf, unitText } from './installer.mjs';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const scripts = ['preinst', 'postinst', 'prerm', 'postrm'];
/** What `postinst` does as install.sh does. */
const shared = ['say', 'make_user', 'make_settings', 'settings_text', 'deny_metadata'];

/** How Debian calls an architecture. */
export const debianArch = { x64: 'amd64', arm64: 'arm64' };

/** The name of the file of a package. */
export function debName(version, arch) {
  return `jobd_${version}_${debianArch[arch]}.deb`;
}

/**
 * Builds the package. `program` is the executable, `pages` its manual and completions as text by the path where they are installed.
 * `compression` is one of dpkg-deb. Rejects with a sentence without dpkg-deb.
 */
export async function makeDeb({
  version,
  arch,
  program,
  pages,
  licenses,
  outfile,
  compression = 'xz',
}) {
  const work = await mkdtemp(join(dirname(outfile), '.deb-'));
  try {
    const put = async (path, content, mode = 0o644) => {
      const to = join(work, path);
      await mkdir(dirname(to), { recursive: true });
      await writeFile(to, content);
      await chmod(to, mode);
    };
    await mkdir(join(work, 'usr', 'bin'), { recursive: true });
    await copyOrLink(program, join(work, 'usr', 'bin', 'jobd'));
    for (const [path, content] of Object.entries(pages)) {
      await put(path, path.endsWith('.gz') ? await packed(content) : content);
    }
    await put('usr/lib/systemd/system/jobd.service', packagedUnit());
    const doc = 'usr/share/doc/jobd';
    await put(`${doc}/copyright`, await copyright());
    await put(`${doc}/THIRD_PARTY_LICENSES.gz`, await packed(await readFile(licenses)));
    await put(`${doc}/changelog.gz`, await packed(changelog(version)));
    for (const name of scripts) await put(`DEBIAN/${name}`, await maintainerScript(name), 0o755);
    const { size } = await stat(program);
    await put('DEBIAN/control', control({ version, arch, sizeKiB: Math.ceil(size / 1024) + 500 }));
    await run('chmod', ['-R', 'u=rwX,go=rX', work]); // whatever the umask
    await run('dpkg-deb', ['--root-owner-group', `-Z${compression}`, '--build', work, outfile], {
      env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime()) },
    });
  } catch (cause) {
    if (cause.code !== 'ENOENT' || cause.path !== 'dpkg-deb') throw cause;
    throw new Error('the Debian package needs dpkg-deb: build the release on Debian or Ubuntu', {
      cause,
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The unit in the package. */
export function packagedUnit() {
  return unitText({
    bin: '/usr/bin',
    settings: '/etc/jobd/jobd.env',
    backups: '/var/backups/jobd',
    filter: '/etc/systemd/system/jobd.service.d/cloud-metadata.conf',
    refresh: 'run dpkg-reconfigure jobd',
  });
}

/** A maintainer script, complete. */
export async function maintainerScript(name) {
  const text = await readFile(join(root, 'packaging', 'debian', name), 'utf8');
  return text.replace('#FUNCTIONS#\n', () => functionsOf(shared));
}

function control({ version, arch, sizeKiB }) {
  return `Package: jobd
Version: ${version}
Architecture: ${debianArch[arch]}
Maintainer: The jobd authors <jobd@localhost.localdomain>
Installed-Size: ${sizeKiB}
Depends: libc6 (>= 2.34), libstdc++6, init-system-helpers, passwd
Recommends: tzdata
Section: admin
Priority: optional
Description: scheduled HTTP jobs with a record of every call
 jobd calls your URLs on cron and interval schedules and records every run.
 It retries, sends alerts, signs receipts, and watches tasks that run
 elsewhere by their pings. The service listens on 127.0.0.1:8080 and calls
 nothing until you create a job.
`;
}

async function copyright() {
  const text = (await readFile(join(root, 'LICENSE'), 'utf8')).trimEnd();
  const [holder = ''] = /\d{4} .*/.exec(text) ?? [];
  const licence = text.slice(text.indexOf('Permission')).replace(/^$/gm, '.').replace(/^/gm, ' ');
  return `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: jobd
Comment: The executable contains Node.js and other software. Their licences are
 in THIRD_PARTY_LICENSES.gz beside this file; jobd licenses prints them.

Files: *
Copyright: ${holder}
License: Expat
${licence}
`;
}

function changelog(version) {
  const date = new Date(commitTime() * 1000).toUTCString().replace('GMT', '+0000');
  return `jobd (${version}) stable; urgency=medium

  * jobd ${version}: CHANGELOG.md of the sources has what changed.

 -- The jobd authors <jobd@localhost.localdomain>  ${date}
`;
}

/** Seconds: of the commit that is built, so that a package built again has the same times. */
function commitTime() {
  const given = Number(process.env['SOURCE_DATE_EPOCH']);
  if (given > 0) return given;
  try {
    const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], options));
  } catch {
    return Math.floor(Date.now() / 1000);
  }
}

async function packed(content) {
  return await promisify(gzip)(content, { level: 9 });
}

/** A second name of the file where that is possible: it is large. */
async function copyOrLink(from, to) {
  await link(from, to).catch(() => copyFile(from, to));
}
