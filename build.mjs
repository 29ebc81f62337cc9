/**
 * node build.mjs             dist/jobd.cjs and, beside it, the native part of better-sqlite3 and
 *                            verify-receipt.mjs, the script that checks receipts without jobd
 * node build.mjs --package   the same, and dist/jobd: one executable that needs nothing beside it
 *
 * The executable is a node binary with the bundle, its V8 code cache and the files beside it injected
 * (docs/decisions/0003-node-sea-executable.md). Every file appears by a rename, so that a jobd
 * that runs from dist/ is not disturbed.
 */
import { execFile } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const run = promisify(execFile);
const platform = `${process.platform}-${process.arch}`;
const addonName = 'better_sqlite3.node';
const scriptName = 'verify-receipt.mjs';

/** What a packaged node looks for in itself (Node's documentation, single executable applications). */
const seaResource = 'NODE_SEA_BLOB';
const seaFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** Bundles `entry` into one CommonJS file, `outfile`; the files that it needs go beside it. */
export async function bundle({ entry, outfile }) {
  const { build } = await import('esbuild');
  const result = await build({
    entryPoints: [entry],
    outfile,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs', // the only format a single executable with a code cache can run
    supported: { 'dynamic-import': false }, // import('node:…') becomes require: no code cache else
    minifyWhitespace: true,
    minifySyntax: true, // names stay, for stack traces
    legalComments: 'none',
    alias: { luxon: require.resolve('luxon') }, // cron-parser requires it, we import it: one copy
    define: {
      JOBD_ADDON: JSON.stringify(addonName),
      JOBD_SCRIPT: JSON.stringify(scriptName),
      'import.meta.dirname': '__dirname', // the files beside the bundle
    },
    // There is no file of its own to find things from; what a module needs goes in by `define`.
    logOverride: { 'empty-import-meta': 'error' },
    logLevel: 'warning',
  });
  await mkdir(dirname(outfile), { recursive: true });
  await putFile(outfile, result.outputFiles[0].contents);
  await putFile(join(dirname(outfile), addonName), await readFile(addonFile()));
  await bundleScript(join(dirname(outfile), scriptName));
}

/** Bundles the script that checks receipts: for people to read, and for Node 18 to run. */
async function bundleScript(outfile) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const result = await build({
    entryPoints: [join(root, 'src', 'verify-receipt.ts')],
    outfile,
    write: false,
    bundle: true,
    platform: 'node',
    target: 'node18',
    format: 'esm',
    charset: 'utf8',
    legalComments: 'none',
    banner: { js: `${scriptHead}\n// Of jobd ${version}.` },
    footer: { js: await licenceOf('@noble/ed25519', '@noble/hashes') },
    logLevel: 'warning',
  });
  await putFile(outfile, result.outputFiles[0].contents);
}

/** The licences of packages whose code goes with a file, as a comment of it. */
async function licenceOf(...packages) {
  const texts = packages.map(async (name) => {
    const text = await readFile(join(root, 'node_modules', name, 'LICENSE'), 'utf8');
    return `\nContains ${name}:\n\n${text.trim()}`;
  });
  return (await Promise.all(texts)).join('\n').replace(/^/gm, '// ').replace(/ +$/gm, '');
}

const scriptHead = `#!/usr/bin/env node
// Checks receipts of jobd, offline:  node verify-receipt.mjs RECEIPT KEY
//
// KEY is the public key that you fetched over HTTPS and archived yourself. A key inside a receipt is never
// trusted. A valid receipt proves that the holder of the key observed this HTTP answer; it does not prove
// what the called application did, nor that it was called only once.
//
// Needs Node 18 or newer and nothing else. Exit code: 0 valid, 1 invalid, 2 nothing could be judged.`;

/** Makes one executable of a bundle. Linux only, for the machine's own architecture. */
export async function pack({ bundled, outfile }) {
  const node = nodeBinary();
  const work = await mkdtemp(join(dirname(outfile), '.package-'));
  try {
    const blob = await seaBlob({ node, bundled, work });
    const executable = join(work, basename(outfile));
    await copyFile(node, executable);
    await inject(executable, blob);
    await rename(executable, outfile);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** The bundle, its code cache and its assets, as `node`, and only this very `node`, can read them. */
async function seaBlob({ node, bundled, work }) {
  const config = join(work, 'sea.json');
  const output = join(work, 'jobd.blob');
  const settings = {
    main: basename(bundled), // the name that stack traces show: no path of the machine it is built on
    output,
    useCodeCache: true,
    disableExperimentalSEAWarning: true,
    execArgvExtension: 'none', // NODE_OPTIONS is meant for other programs
    assets: { [addonName]: addonFile(), [scriptName]: join(dirname(bundled), scriptName) },
  };
  await writeFile(config, JSON.stringify(settings));
  await run(node, ['--experimental-sea-config', config], { cwd: dirname(bundled) });
  return output;
}

/** A process of its own, as it prints warnings about the ELF notes it does not know: harmless. */
async function inject(executable, blob) {
  const postject = require.resolve('postject/dist/cli.js');
  const args = [executable, seaResource, blob, '--sentinel-fuse', seaFuse];
  await run(process.execPath, [postject, ...args]);
}

/** The prebuilt native part for this machine, found as better-sqlite3 itself finds it. */
function addonFile() {
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  const file = require(join(folder, 'lib', 'binding.js')).getPrebuildPath();
  if (file === null) throw new Error(`better-sqlite3 has no prebuilt binary for ${platform}`);
  return file;
}

/** The pinned node of node_modules, so that every build packs the same one; else the one running. */
function nodeBinary() {
  try {
    return join(dirname(require.resolve(`node-${platform}/package.json`)), 'bin', 'node');
  } catch {
    return process.execPath;
  }
}

async function putFile(path, bytes) {
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, bytes);
  await rename(fresh, path);
}

/** Why this cannot build, as a sentence for people; undefined when it can. */
function obstacle(packaging) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major !== 24 || minor < 15) {
    return `needs Node 24.15 or a later 24, got ${process.versions.node}: run it as npm run build`;
  }
  if (packaging && process.platform !== 'linux') {
    return `the executable can be built on Linux, got ${process.platform}: dist/jobd.cjs runs here`;
  }
  return undefined;
}

async function main(args) {
  const packaging = args.includes('--package');
  const unknown = args.find((arg) => arg !== '--package');
  const problem =
    unknown === undefined ? obstacle(packaging) : `knows only --package, got ${unknown}`;
  if (problem !== undefined) {
    process.stderr.write(`build.mjs ${problem}\n`);
    process.exitCode = 1;
    return;
  }
  const dist = join(root, 'dist');
  const bundled = join(dist, 'jobd.cjs');
  await bundle({ entry: join(root, 'src', 'main.ts'), outfile: bundled });
  if (packaging) await pack({ bundled, outfile: join(dist, 'jobd') });
}

// Not import.meta.main: an older node, which has to be told so, does not know it.
if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  await main(process.argv.slice(2));
}
