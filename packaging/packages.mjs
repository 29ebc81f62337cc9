/** What people install with a package manager, made from the executables of a release. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { debName, makeDeb } from './deb.mjs';
import { packLauncher, packPlatform } from './npm.mjs';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Where each text that `jobd` prints about itself is installed. */
const pagesOfJobd = {
  'usr/share/man/man1/jobd.1.gz': ['man'],
  'usr/share/bash-completion/completions/jobd': ['completion', 'bash'],
  'usr/share/zsh/vendor-completions/_jobd': ['completion', 'zsh'],
  'usr/share/fish/vendor_completions.d/jobd.fish': ['completion', 'fish'],
};

/** Makes them from `jobd-linux-ARCH` in a directory. Resolves with their paths. */
export async function makePackages({ archs, directory }) {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const licenses = join(directory, 'THIRD_PARTY_LICENSES');
  const pages = await pagesOf(join(directory, 'jobd'));
  const made = [];
  for (const arch of archs) {
    const program = join(directory, `jobd-linux-${arch}`);
    const outfile = join(directory, debName(version, arch));
    await makeDeb({ version, arch, program, pages, licenses, outfile });
    made.push(outfile, await packPlatform({ version, arch, program, licenses, directory }));
  }
  const client = join(directory, 'jobd-client.cjs');
  made.push(await packLauncher({ version, archs, client, licenses, directory }));
  // The formula names both architectures.
  if (archs.length === 2) made.push(await writeFormula(version, directory));
  return made;
}

async function pagesOf(program) {
  const texts = Object.entries(pagesOfJobd).map(async ([path, words]) => {
    return [path, (await run(program, words, { maxBuffer: 8 * 1024 * 1024 })).stdout];
  });
  return Object.fromEntries(await Promise.all(texts));
}

async function writeFormula(version, directory) {
  const sumOf = async (arch) => {
    const bytes = await readFile(join(directory, `jobd-linux-${arch}.gz`));
    return createHash('sha256').update(bytes).digest('hex');
  };
  const template = await readFile(join(root, 'contrib', 'homebrew', 'jobd.rb'), 'utf8');
  const path = join(directory, 'jobd.rb');
  await writeFile(
    path,
    formula(template, { version, x64: await sumOf('x64'), arm64: await sumOf('arm64') }),
  );
  return path;
}

/** The formula of a release: the template with its version and checksums. */
export function formula(template, { version, x64, arm64 }) {
  return template
    .replaceAll('VERSION', version)
    .replace('SHA256_X64', x64)
    .replace('SHA256_ARM64', arm64);
}
