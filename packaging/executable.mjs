/** Makes one executable of the program (docs/decisions/0003-node-sea-executable.md). */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodePackage, writeStripped } from './base.mjs';
import { makePieces } from './pieces.mjs';

const require = createRequire(import.meta.url);
const run = promisify(execFile);

/** What a packaged node looks for in itself (Node's documentation, single executable applications). */
const seaResource = 'NODE_SEA_BLOB';
const seaFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/**
 * What V8 is told: to take half of what it would for what is young, in each thread, 150 MB less in a storm. Most other
 * flags would make it refuse code caches, Node's own among them; `src/heap.ts` has one that can be set later.
 */
const v8Flags = ['--max-semi-space-size=16'];

/**
 * Makes it for Linux on `arch`. `assets` are files by the names the program knows them by. For another
 * architecture than the machine's it has no code cache, which only a node of that architecture can make.
 */
export async function makeExecutable({ arch, entry, options, assets, outfile }) {
  const work = await mkdtemp(join(dirname(outfile), '.package-'));
  try {
    const pieces = join(work, 'pieces');
    await makePieces({ entry, options, directory: pieces });
    const maker = join(await nodePackage(process.arch), 'bin', 'node');
    if (arch === process.arch) await makeCaches(maker, pieces);
    const blob = await seaBlob({ maker, work, assets: { ...assets, ...(await filesIn(pieces)) } });
    const executable = join(work, basename(outfile));
    await writeStripped(join(await nodePackage(arch), 'bin', 'node'), executable);
    await inject(executable, blob);
    await rename(executable, outfile);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function makeCaches(maker, pieces) {
  const env = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  await run(maker, [join(import.meta.dirname, 'make-caches.cjs'), pieces], { env });
  await run(maker, [...v8Flags, join(import.meta.dirname, 'check-caches.cjs'), pieces]);
  const names = await readdir(pieces);
  const bare = names.find((name) => name.endsWith('.js') && !names.includes(`${name}.cache`));
  if (bare !== undefined) throw new Error(`${bare} has no code cache`);
}

/** Each file of a directory by the name that the loader asks for it. */
async function filesIn(directory) {
  const names = (await readdir(directory)).toSorted();
  return Object.fromEntries(names.map((name) => [`./${name}`, join(directory, name)]));
}

async function seaBlob({ maker, work, assets }) {
  const config = join(work, 'sea.json');
  const output = join(work, 'jobd.blob');
  const settings = {
    main: 'loader.cjs', // the name that stack traces show: no path of the machine it is built on
    output,
    useCodeCache: false, // each piece has its own
    disableExperimentalSEAWarning: true,
    execArgv: v8Flags,
    execArgvExtension: 'none', // NODE_OPTIONS is meant for other programs
    assets,
  };
  await writeFile(config, JSON.stringify(settings));
  await run(maker, ['--experimental-sea-config', config], { cwd: import.meta.dirname });
  return output;
}

/** A process of its own, as it prints warnings about the ELF notes it does not know: harmless. */
async function inject(executable, blob) {
  const postject = require.resolve('postject/dist/cli.js');
  const args = [executable, seaResource, blob, '--sentinel-fuse', seaFuse];
  await run(process.execPath, [postject, ...args]);
}
