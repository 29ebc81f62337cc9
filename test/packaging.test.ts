/** The files beside the executable: stripped Node, checksums, bill of materials. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from './support/directory.ts';

const folder = join(import.meta.dirname, '..', 'packaging');

interface Packaging {
  writeStripped(from: string, to: string): Promise<void>;
  writeSums(paths: readonly string[], outfile: string): Promise<void>;
  makeCaches(maker: string, pieces: string): Promise<void>;
  writeBillOfMaterials(
    packages: readonly { name: string; version: string }[],
    outfile: string,
  ): Promise<void>;
}

/** Build scripts have no types. */
const packaging: Packaging = {
  ...(await import(join(folder, 'base.mjs'))),
  ...(await import(join(folder, 'release.mjs'))),
  ...(await import(join(folder, 'executable.mjs'))),
};

const notLinux = process.platform === 'linux' ? false : 'only ELF files are stripped';

test('a stripped node is smaller and works the same', { skip: notLinux }, async (t) => {
  const stripped = join(temporaryDirectory(t), 'node');
  await packaging.writeStripped(process.execPath, stripped);
  assert.ok(statSync(stripped).size < statSync(process.execPath).size);
  const args = ['-e', 'process.stdout.write(process.version + crypto.randomUUID().length)'];
  assert.equal(execFileSync(stripped, args, { encoding: 'utf8' }), `${process.version}36`);
});

test('sha256sum accepts the checksums', { skip: notLinux }, async (t) => {
  const directory = temporaryDirectory(t);
  const paths = ['a', 'b'].map((name) => join(directory, name));
  for (const path of paths) writeFileSync(path, path);
  await packaging.writeSums(paths, join(directory, 'SHA256SUMS'));
  const check = () => spawnSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: directory }).status;
  assert.equal(check(), 0);
  writeFileSync(paths[0] ?? '', 'changed');
  assert.equal(check(), 1);
});

const byName = (a: { name: string }, b: { name: string }): number => a.name.localeCompare(b.name);

// It does not for a user without a home directory.
const noNpm = spawnSync('npm', ['--version']).status === 0 ? false : 'npm does not run here';

test('the bill of materials has the dependencies', { skip: noNpm }, async (t) => {
  const outfile = join(temporaryDirectory(t), 'jobd.cdx.json');
  const { packages } = JSON.parse(readFileSync(join(folder, '..', 'package-lock.json'), 'utf8'));
  const known = ['ajv', 'nodemailer', 'fastify', 'commander', 'preact', '@preact/signals-core'].map(
    (name) => ({
      name,
      version: packages[`node_modules/${name}`].version as string,
    }),
  );
  await packaging.writeBillOfMaterials(known, outfile);
  const bill = JSON.parse(readFileSync(outfile, 'utf8'));
  assert.equal(bill.bomFormat, 'CycloneDX');
  assert.equal(bill.metadata.component.name, 'jobd');
  const found = bill.components.map((one: { name: string; version: string }) => ({
    name: one.name,
    version: one.version,
  }));
  assert.deepEqual(found.toSorted(byName), known.toSorted(byName));
  await assert.rejects(
    packaging.writeBillOfMaterials([{ name: 'absent', version: '1.0.0' }], outfile),
    /npm sbom does not know absent@1\.0\.0/,
  );
});

test('the code caches of a build are the same again', async (t) => {
  const words = Array.from(
    { length: 50 },
    (_, index) => `function f${index}(){return {a${index}:1}}`,
  );
  const pieces = {
    'main.js': `(function(exports,require,module){${words.join('')}require('./part.js').run(f1())})`,
    'part.js': `(function(exports,require,module){exports.run=(o)=>new Map(Object.entries(o))})`,
  };
  const made = async (): Promise<string[]> => {
    const directory = temporaryDirectory(t);
    for (const [name, code] of Object.entries(pieces)) writeFileSync(join(directory, name), code);
    await packaging.makeCaches(process.execPath, directory);
    return Object.keys(pieces).map((name) =>
      readFileSync(join(directory, `${name}.cache`)).toString('hex'),
    );
  };
  const first = await made();
  assert.deepEqual(await made(), first);
  assert.deepEqual(await made(), first);
});
