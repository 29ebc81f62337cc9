/** The built jobd (dist/jobd.cjs), served outside of a test. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { runProgram } from '../../../support/running/program.ts';

const root = join(import.meta.dirname, '..', '..', '..', '..');
const bundle = join(root, 'dist', 'jobd.cjs');

/** Builds it. */
export async function build(): Promise<void> {
  const ran = await runProgram([process.execPath, join(root, 'build.mjs')], { cwd: root });
  assert.equal(ran.exitCode, 0, ran.stderr);
}

export interface Built extends AsyncDisposable {
  /** Host and port that it listens on. */
  host: string;
  /** A link that signs in, as `jobd open` prints it. */
  link: (...options: string[]) => Promise<string>;
}

/** Serves a data directory, which others know as `siteUrl`. It may call 127.0.0.1. Disposing of it stops it. */
export async function serveBuilt(dataDir: string, siteUrl: string): Promise<Built> {
  const site = ['--port', '0', '--base-url', siteUrl];
  const words = ['serve', '--data', dataDir, ...site, '--allow-target', '127.0.0.1/32:*'];
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const child = spawn(process.execPath, [bundle, ...words], { env: {}, stdio: [...stdio] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as unknown[];
  const url = /^listening on (http:\S+)$/.exec(String(line))?.[1];
  assert.ok(url, `jobd did not start: ${String(line)}`);
  return {
    host: new URL(url).host,
    async link(...options) {
      const open = [process.execPath, bundle, 'open', '--data', dataDir, ...options];
      const { stdout, stderr } = await runProgram(open);
      return /^http\S+#code=\S+$/m.exec(stdout)?.[0] ?? assert.fail(`no link: ${stderr}`);
    },
    async [Symbol.asyncDispose]() {
      // Nothing is worth waiting for: the directory is removed.
      child.kill('SIGKILL');
      await exited;
    },
  };
}
