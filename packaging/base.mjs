/**
 * The Node binary of the executable, as pinned by package-lock.json. For this machine's architecture npm has installed it.
 * For another one, npm fetches its package once, and its checksum is verified.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '..');
const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** The directory of the package `node-linux-ARCH`. Rejects with a sentence if npm cannot fetch it. */
export async function nodePackage(arch) {
  const name = `node-linux-${arch}`;
  try {
    return dirname(require.resolve(`${name}/package.json`));
  } catch {
    return await fetched(name);
  }
}

async function fetched(name) {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8'));
  const { version, integrity } = lock.packages[`node_modules/${name}`];
  const home = join(root, 'dist', '.node', `${name}-${version}`);
  if (existsSync(home)) return join(home, 'package');
  await mkdir(dirname(home), { recursive: true });
  const work = await mkdtemp(`${home}.`);
  try {
    const archive = await fetchPackage(`${name}@${version}`, work);
    const sum = createHash('sha512').update(archive.bytes).digest('base64');
    if (`sha512-${sum}` !== integrity) {
      throw new Error(`${name}@${version} is not the one that package-lock.json pins`);
    }
    await run('tar', ['-xzf', archive.path, '-C', work]);
    await rm(archive.path);
    await rename(work, home);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  return join(home, 'package');
}

async function fetchPackage(spec, directory) {
  try {
    const args = ['pack', spec, '--json', '--pack-destination', directory];
    const { stdout } = await run('npm', args, { cwd: root });
    const path = join(directory, JSON.parse(stdout)[0].filename);
    return { path, bytes: await readFile(path) };
  } catch (cause) {
    const why = String(cause.stderr ?? cause.message).trim();
    throw new Error(`npm cannot fetch ${spec}, which needs a network:\n${why}`, { cause });
  }
}

/**
 * Copies an ELF file without the part for debuggers: the section table, the symbols and everything else after the last
 * byte that the system loads. Backtraces need only loaded parts.
 */
export async function writeStripped(from, to) {
  const bytes = await readFile(from);
  const programHeaders = { at: Number(bytes.readBigUInt64LE(32)), size: bytes.readUInt16LE(54) };
  let end = 0;
  for (let index = 0; index < bytes.readUInt16LE(56); index += 1) {
    const header = programHeaders.at + index * programHeaders.size;
    end = Math.max(
      end,
      Number(bytes.readBigUInt64LE(header + 8) + bytes.readBigUInt64LE(header + 32)),
    );
  }
  bytes.writeBigUInt64LE(0n, 40); // no section table,
  bytes.writeUInt16LE(0, 60); // no entries in it
  bytes.writeUInt16LE(0, 62); // and no names
  await writeFile(to, bytes.subarray(0, end), { mode: 0o755 });
}
