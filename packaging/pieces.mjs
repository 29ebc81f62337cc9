/** Splits the program into pieces for packaging/loader.cjs: one for each `import()`, and for shared parts. */

import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build, transform } from 'esbuild';

/** Writes the pieces of a program into `directory`. */
export async function makePieces({ options, entry, directory }) {
  const result = await build({
    ...options,
    entryPoints: [entry],
    entryNames: 'main',
    outdir: directory,
    write: false,
    format: 'esm', // esbuild splits no other format
    splitting: true,
  });
  await mkdir(directory, { recursive: true });
  for (const { path, text } of result.outputFiles) {
    const { code } = await transform(text, {
      format: 'cjs',
      target: options.target,
      platform: options.platform,
      supported: options.supported,
      minifyWhitespace: true,
      minifySyntax: true,
    });
    const piece = `(function(exports,require,module){${code}\n})`;
    await writeFile(join(directory, basename(path)), piece);
  }
}
