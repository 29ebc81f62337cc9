/** What goes with executables that are given to others: compressed copies, sums, a bill of materials. */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip } from 'node:zlib';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);

/** Compresses a file into one beside it. Resolves with its path. */
export async function compress(path) {
  const fresh = `${path}.gz.${process.pid}`;
  await pipeline(createReadStream(path), createGzip({ level: 9 }), createWriteStream(fresh));
  await rename(fresh, `${path}.gz`);
  return `${path}.gz`;
}

/** Writes SHA256SUMS for `sha256sum --check`, run in the directory of the files. */
export async function writeSums(paths, outfile) {
  const lines = paths.map(async (path) => `${await sha256(path)}  ${basename(path)}\n`);
  await writeFile(outfile, (await Promise.all(lines)).join(''));
}

async function sha256(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

/**
 * Writes a CycloneDX document of these packages, as npm describes them. npm alone lists either tools too, or
 * leaves out what a tool also needs.
 */
export async function writeBillOfMaterials(packages, outfile) {
  const refs = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const format = ['--sbom-format', 'cyclonedx', '--package-lock-only', '--workspaces=false'];
  const { stdout } = await run('npm', ['sbom', ...format], {
    cwd: root,
    maxBuffer: 64 * 1024 * 1024,
  });
  const { metadata, components, dependencies, ...document } = JSON.parse(stdout);
  const self = { ...metadata.component, type: 'application', name: 'jobd' };
  const kept = components.filter((component) => refs.delete(component['bom-ref']));
  if (refs.size > 0) throw new Error(`npm sbom does not know ${[...refs].join(', ')}`);
  for (const ref of [self, ...kept]) refs.add(ref['bom-ref']);
  const bill = {
    ...document,
    metadata: { ...metadata, component: self },
    components: kept,
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: dependsOn.filter((on) => refs.has(on)),
      })),
  };
  await writeFile(outfile, `${JSON.stringify(bill, null, 2)}\n`);
}
