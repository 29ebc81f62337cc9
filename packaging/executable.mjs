/** Builds the executable (docs/decisions/0001-what-it-is-made-of.md#the-executable-is-a-node-single-executable-made-by-yao-pkgpkg). */

import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { nodePackage, writeStripped } from './base.mjs';
import { makePieces } from './pieces.mjs';

const run = promisify(execFile);

/**
 * A quarter of V8's default for young objects in each thread, from the start: a storm is as fast with it as with half (10,000 jobs),
 * takes 28 MB less, and work that lasts grows the process by less. With most other flags V8 would refuse code caches, also Node's
 * own. `src/serve/daemon.ts` has those that can be set later.
 */
const v8Flags = ['--max-semi-space-size=8', '--min-semi-space-size=8'];

/**
 * At SIGUSR1, Node would open its debugger, which runs the code of every user of the machine. `src/signals.ts` keeps it from
 * that too, but only once it runs. The authorities of the system are read when TLS is first used
 * (docs/decisions/0024-the-way-out.md#the-authorities-of-the-system-are-trusted-too).
 */
const nodeFlags = [...v8Flags, '--disable-sigusr1', '--use-system-ca'];

/**
 * Builds it for Linux on `arch`. `assets` are paths by the names in the program. For another architecture it has no code
 * cache, because only a Node of that architecture can make one.
 */
export async function makeExecutable({ arch, entry, options, assets, outfile }) {
  const work = await mkdtemp(join(dirname(outfile), '.package-'));
  try {
    const pieces = join(work, 'pieces');
    await makePieces({ entry, options, directory: pieces });
    const maker = join(await nodePackage(process.arch), 'bin', 'node');
    if (arch === process.arch) await makeCaches(maker, pieces);
    const node = join(work, 'node');
    await writeStripped(join(await nodePackage(arch), 'bin', 'node'), node);
    const output = join(work, basename(outfile));
    const everything = { ...assets, ...(await filesIn(pieces)) };
    await injectInto({ arch, maker, node, assets: everything, output, work });
    await rename(output, outfile);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** V8 makes the same code cache of the same code again: everybody can build a release and compare it. */
const sameAgain = ['--predictable', '--random-seed=1'];

/** Writes the code cache of each piece in a directory beside it. */
export async function makeCaches(maker, pieces) {
  const env = { JOBD_URL: 'http://127.0.0.1:9', JOBD_API_KEY: `cp_${'0'.repeat(64)}` };
  await run(maker, [...sameAgain, join(import.meta.dirname, 'make-caches.cjs'), pieces], { env });
  await run(maker, [...v8Flags, join(import.meta.dirname, 'check-caches.cjs'), pieces]);
  const names = await readdir(pieces);
  const bare = names.find((name) => name.endsWith('.js') && !names.includes(`${name}.cache`));
  if (bare !== undefined) throw new Error(`${bare} has no code cache`);
}

/** The files of a directory by their names in the loader. */
async function filesIn(directory) {
  const names = (await readdir(directory)).toSorted();
  return Object.fromEntries(names.map((name) => [`./${name}`, join(directory, name)]));
}

/**
 * Injects the loader and the assets into `node` with @yao-pkg/pkg. `maker` is the same Node for this machine. With it and
 * `useLocalNode`, pkg downloads nothing for any architecture.
 */
export async function injectInto({ arch, maker, node, assets, output, work }) {
  await copyFile(join(import.meta.dirname, 'loader.cjs'), join(work, 'loader.cjs'));
  const options = {
    nodePath: node,
    useLocalNode: true,
    signature: false,
    targets: [{ nodeRange: 'node24', platform: 'linux', arch, output }],
    seaConfig: {
      // Stack traces show this name. It is relative to pkg's directory in TMPDIR, so it has no path of the build machine.
      main: '../loader.cjs',
      useSnapshot: false,
      useCodeCache: false, // each piece has its own
      disableExperimentalSEAWarning: true,
      execArgv: nodeFlags,
      execArgvExtension: 'none', // ignores NODE_OPTIONS, which is for other programs
      assets,
    },
  };
  const args = [join(work, 'loader.cjs'), JSON.stringify(options)];
  const env = { ...process.env, TMPDIR: work };
  await run(maker, [join(import.meta.dirname, 'sea.mjs'), ...args], { env });
}
