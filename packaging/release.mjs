/** The files of a release beside the executables: compressed copies, checksums and the SBOM. */

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

/** Compresses a file into `PATH.gz`. Resolves with that path. */
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
 * Writes a CycloneDX SBOM of these packages from npm's. npm itself either includes the tools, or omits packages that a tool
 * needs, too.
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
