/**
 * node build.mjs             builds dist/jobd.cjs, jobd-client.cjs, which only talks to servers, and the files they need: the native part of better-sqlite3,
 *                            egress-thread.cjs (the code of the threads for calls), verify-receipt.mjs, the script, sheets
 *                            and icons of the pages (page/, also compressed) and the licences
 * node build.mjs --package   also builds dist/jobd, one executable that needs no other file
 * node build.mjs --release   also builds the release files: dist/jobd-linux-ARCH, plain and compressed, packages for Debian
 *                            and npm, a formula, checksums and an SBOM; --arch x64|arm64 for another machine, --all for both
 *
 * Every file is replaced by a rename, so that a jobd that runs from dist/ is not disturbed.
 */
import { realpathSync } from 'node:fs';
import { copyFile, glob, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(fileURLToPath(import.meta.url));
const require = createRequire(import.meta.url);
const dist = join(root, 'dist');
const entry = join(root, 'src', 'main.ts');
const architectures = ['x64', 'arm64'];

/** Names of the files beside the bundle, which are assets of the executable. */
const addonName = 'better_sqlite3.node';
const scriptName = 'verify-receipt.mjs';
const licensesName = 'THIRD_PARTY_LICENSES';
const threadName = 'egress-thread.cjs';
const clientName = 'jobd-client.cjs';
const icons = ['icon.svg', 'icon-trouble.svg'];
/** What the pages load. */
const pageNames = ['app.js', 'receipts.js', 'app.css', 'docs.css', ...icons].map(
  (name) => `page/${name}`,
);

/** commander can run commands that are separate files. jobd has none, so it does not load node:child_process for them. */
const withoutSubprocesses = {
  name: 'without subprocesses',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/node_modules/commander/') ? { path: 'none', namespace: 'none' } : null,
    );
    build.onLoad({ filter: /^none$/, namespace: 'none' }, () => ({
      contents: 'export default {}',
    }));
  },
};

/** How the program is bundled, as one file and in pieces. */
function programOptions() {
  return {
    bundle: true,
    platform: 'node',
    target: 'node24',
    supported: { 'dynamic-import': false }, // import('node:…') becomes require, or V8 makes no code cache
    minifyWhitespace: true,
    minifySyntax: true, // names stay, for stack traces
    legalComments: 'none',
    alias: { luxon: require.resolve('luxon') }, // cron-parser requires it, we import it: one copy
    define: {
      JOBD_ADDON: JSON.stringify(addonName),
      JOBD_SCRIPT: JSON.stringify(scriptName),
      JOBD_LICENSES: JSON.stringify(licensesName),
      JOBD_EGRESS_THREAD: JSON.stringify(threadName),
      'import.meta.dirname': '__dirname', // the files beside the bundle
    },
    // A bundled module has no path of its own; it gets what it needs by `define`.
    logOverride: { 'empty-import-meta': 'error' },
    logLevel: 'warning',
    plugins: [withoutSubprocesses],
  };
}

/** Without what works on the data of this machine: commands that say why they cannot, and of wings what servers load. */
const withoutLocal = {
  name: 'without local',
  setup(build) {
    build.onResolve({ filter: /^\.\/local(-wings)?\.ts$/ }, () => ({
      path: join(root, 'src', 'serve', 'elsewhere.ts'),
    }));
    build.onResolve({ filter: /\/(routes|open-routes|check)\.ts$/ }, ({ importer }) =>
      importer.endsWith('/wing.ts') ? { external: true } : undefined,
    );
  },
};

/** Bundles what only talks to servers, for machines without the executable and their own Node. */
async function bundleClient() {
  const { build } = await import('esbuild');
  const options = programOptions();
  const { outputFiles } = await build({
    ...options,
    entryPoints: [entry],
    outfile: join(dist, clientName),
    write: false,
    target: 'node22',
    format: 'cjs',
    minifyWhitespace: true,
    minifySyntax: true,
    plugins: [...options.plugins, withoutLocal],
  });
  await putFile(join(dist, clientName), outputFiles[0].contents);
}

/** Bundles the program and its thread into one CommonJS file each. Resolves with the packages in them. */
async function bundleProgram() {
  const { build } = await import('esbuild');
  const { packagesOf, licensesOf } = await import('./packaging/licenses.mjs');
  const { metafile, outputFiles } = await build({
    ...programOptions(),
    entryPoints: { program: entry, thread: join(root, 'src', 'egress', 'thread.ts') },
    outdir: dist,
    write: false,
    metafile: true,
    format: 'cjs',
  });
  const [program, thread] = outputFiles;
  await mkdir(join(dist, 'page'), { recursive: true });
  const packages = await packagesOf([...Object.keys(metafile.inputs), ...(await bundlePages())]);
  await putFile(join(dist, 'jobd.cjs'), program.contents);
  await putFile(join(dist, threadName), thread.contents);
  await putFile(join(dist, addonName), await readFile(addonFile(process.platform, process.arch)));
  await putFile(join(dist, licensesName), await licensesOf(packages, ownNodePackage()));
  await bundleScript(join(dist, scriptName));
  await bundleClient();
  return packages;
}

/** Bundles what the pages load: a script, another one that checks receipts, a sheet, two icons, and the sheet of `/docs`. Resolves with the files in them. */
async function bundlePages() {
  const { build } = await import('esbuild');
  const source = join(root, 'src', 'dashboard');
  const receipts = join(source, 'view', 'receipt.ts');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const { metafile, outputFiles } = await build({
    define: { JOBD_PAGE_VERSION: JSON.stringify(version) },
    entryPoints: [
      { in: 'script in order', out: 'app' },
      { in: receipts, out: 'receipts' },
      { in: join(source, 'style.css'), out: 'app' },
      { in: join(root, 'src', 'api', 'docs', 'docs.css'), out: 'docs' },
    ],
    plugins: [await scriptInOrder(source, receipts)],
    outdir: join(dist, 'page'),
    write: false,
    metafile: true,
    bundle: true,
    platform: 'browser',
    target: 'es2024',
    format: 'esm',
    jsx: 'transform', // shorter than the calls of `jsx-runtime`
    jsxFactory: 'h',
    jsxFragment: 'Fragment',
    inject: [join(source, 'jsx.ts')],
    tsconfigRaw: {},
    minify: true,
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const { path, contents, text } of outputFiles) {
    await putFile(path, path.endsWith('.js') ? await smaller(text) : contents);
  }
  for (const icon of icons) {
    await putFile(join(dist, 'page', icon), await readFile(join(source, icon)));
  }
  return Object.keys(metafile.inputs);
}

/**
 * The script of the pages with what has no markup before what has, each by folders: what is alike is near each other, which
 * gzip, that looks back 32 KiB only, makes smaller by almost 1 %.
 */
async function scriptInOrder(source, without) {
  const all = (await Array.fromAsync(glob('**/*.{ts,tsx}', { cwd: source }))).filter(
    (name) => join(source, name) !== without,
  );
  const files = ['.ts', '.tsx'].flatMap((ending) =>
    all.filter((name) => extname(name) === ending && name !== 'main.tsx').toSorted(),
  );
  const contents = [...files, 'main.tsx'].map((name) => `import './${name}';`).join('\n');
  return {
    name: 'script in order',
    setup(build) {
      build.onResolve({ filter: /^script in order$/ }, () => ({
        path: 'order',
        namespace: 'order',
      }));
      build.onLoad({ filter: /^order$/, namespace: 'order' }, () => ({
        contents,
        resolveDir: source,
      }));
    },
  };
}

/** A module with its code inlined and reordered beyond what esbuild does. */
async function smaller(code) {
  const { minify } = await import('terser');
  const result = await minify(code, {
    module: true,
    ecma: 2020,
    compress: { passes: 2, inline: 1, keep_fargs: false },
  });
  return Buffer.from(result.code);
}

/** Bundles the script that checks receipts: readable for people, and for Node 18 and newer. */
async function bundleScript(outfile) {
  const { build } = await import('esbuild');
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const result = await build({
    entryPoints: [join(root, 'src', 'receipt', 'script.ts')],
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

/** The licences of packages in a file, as a comment for its end. */
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

/** The prebuilt native part for a machine. For this one, better-sqlite3 itself finds it. */
function addonFile(platform, arch) {
  const folder = dirname(require.resolve('better-sqlite3/package.json'));
  const isOwn = platform === process.platform && arch === process.arch;
  const file = isOwn
    ? require(join(folder, 'lib', 'binding.js')).getPrebuildPath()
    : join(folder, 'prebuilds', `${platform}-${arch}.node`);
  if (file === null)
    throw new Error(`better-sqlite3 has no prebuilt binary for ${platform}-${arch}`);
  return file;
}

/** The directory of the pinned Node for this machine; null if it has none. */
function ownNodePackage() {
  try {
    return dirname(require.resolve(`node-${process.platform}-${process.arch}/package.json`));
  } catch {
    return null;
  }
}

/** Builds the executable for an architecture. */
async function packageFor(arch, outfile) {
  const { makeExecutable } = await import('./packaging/executable.mjs');
  const assets = {
    [addonName]: addonFile('linux', arch),
    [scriptName]: join(dist, scriptName),
    [licensesName]: join(dist, licensesName),
    [threadName]: join(dist, threadName),
    ...Object.fromEntries(pageNames.map((name) => [name, join(dist, name)])),
  };
  await makeExecutable({ arch, entry, options: programOptions(), assets, outfile });
}

async function release(archs, packages) {
  const { compress, writeBillOfMaterials, writeSums } = await import('./packaging/release.mjs');
  const { packageIn } = await import('./packaging/licenses.mjs');
  const { nodePackage } = await import('./packaging/base.mjs');
  const { makePackages } = await import('./packaging/packages.mjs');
  const files = [];
  for (const arch of archs) {
    const file = join(dist, `jobd-linux-${arch}`);
    if (arch === process.arch) await copyFile(join(dist, 'jobd'), file);
    else await packageFor(arch, file);
    files.push(file, await compress(file));
  }
  const nodes = await Promise.all(archs.map(async (arch) => packageIn(await nodePackage(arch))));
  const bill = join(dist, 'jobd.cdx.json');
  await writeBillOfMaterials([...packages, ...nodes], bill);
  const installer = join(dist, 'install.sh');
  await copyFile(join(root, 'install.sh'), installer);
  files.push(...(await makePackages({ archs, directory: dist })));
  await writeSums([...files, installer, bill, join(dist, licensesName)], join(dist, 'SHA256SUMS'));
}

async function putFile(path, bytes) {
  const fresh = `${path}.${process.pid}`;
  await writeFile(fresh, bytes);
  await rename(fresh, path);
}

/** Why the build is not possible, as a sentence for people; undefined if it is. */
function obstacle({ executable, arch }) {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major !== 24 || minor < 15) {
    return `needs Node 24.15 or a later 24, got ${process.versions.node}: run it as npm run build`;
  }
  if (executable && process.platform !== 'linux') {
    return `the executable can be built on Linux, got ${process.platform}: dist/jobd.cjs runs here`;
  }
  const unknown = arch.find((name) => !architectures.includes(name));
  if (unknown !== undefined) return `--arch must be ${architectures.join(' or ')}, got ${unknown}`;
  return undefined;
}

/** What to build. Throws with a sentence for people. */
function parseOptions(args) {
  const { values } = parseArgs({
    args,
    options: {
      package: { type: 'boolean' },
      release: { type: 'boolean' },
      arch: { type: 'string', multiple: true, default: [] },
      all: { type: 'boolean' },
    },
  });
  const arch = values.all ? architectures : values.arch;
  if (arch.length > 0 && !values.release) throw new Error('--arch and --all go with --release');
  return {
    executable: Boolean(values.package || values.release),
    release: Boolean(values.release),
    arch: arch.length > 0 ? arch : [process.arch],
  };
}

async function main(args) {
  const options = parseOptions(args);
  const problem = obstacle(options);
  if (problem !== undefined) throw new Error(problem);
  const packages = await bundleProgram();
  if (options.executable) await packageFor(process.arch, join(dist, 'jobd'));
  if (options.release) await release([...new Set(options.arch)], packages);
}

// Not import.meta.main: an older Node, which gets an error message here, does not know it.
if (
  process.argv[1] !== undefined &&
  realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)
) {
  try {
    await main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`build.mjs: ${error.message}\n`);
    process.exitCode = 1;
  }
}
