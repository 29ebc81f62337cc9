/** The licences of the bundled packages and of Node. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The package in a directory. */
export async function packageIn(directory) {
  const text = await readFile(join(directory, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(text);
  return { name, version, license, directory };
}

/** The packages of these files, which are paths of esbuild's metafile. */
export async function packagesOf(inputs) {
  const directories = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const own = new Set(directories.filter((directory) => directory !== undefined));
  const packages = await Promise.all([...own].map((directory) => packageIn(directory)));
  const distinct = new Map(packages.map((one) => [`${one.name} ${one.version}`, one]));
  return [...distinct.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** One text for people. `node` is the directory of Node's package, or null. */
export async function licensesOf(packages, node) {
  const all = node === null ? packages : [...packages, await packageIn(node)];
  return [preface, ...(await Promise.all(all.map(textOf)))].join('\n');
}

async function textOf({ name, version, license, directory }) {
  const file = (await readdir(directory)).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? license : await readFile(join(directory, file), 'utf8');
  if (!text) throw new Error(`${name} has no licence`);
  return `${'-'.repeat(80)}\n${name} ${version}\n\n${text.trim()}\n`;
}

const preface = `jobd contains the following software. SQLite, which is part of better-sqlite3, is in the public domain.
What is part of Node is listed under Node's own licence.
`;
