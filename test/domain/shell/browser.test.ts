/** Pasted commands are read in the browser too, by the same code. */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import vm from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { parseCrontab } from '../../../src/domain/shell/crontab.ts';
import { readCurl } from '../../../src/domain/shell/curl.ts';
import { readWget } from '../../../src/domain/shell/wget.ts';
import { readShellCommand } from '../../../src/domain/shell/words.ts';

const readers = { parseCrontab, readCurl, readWget, readShellCommand };

/** For a browser, a module of Node is an error of the build. */
async function bundled(): Promise<string> {
  const contents = ['crontab', 'curl', 'wget', 'words']
    .map((name) => `export * from './src/domain/shell/${name}.ts';`)
    .join('\n');
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: join(import.meta.dirname, '..', '..', '..') },
    write: false,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'readers',
    target: 'es2022',
  });
  return outputFiles[0]?.text ?? '';
}

/** What the readers make of a few texts, as JSON. It runs in both places, so it uses nothing from outside. */
function readAll(all: typeof readers): string {
  const commands = [
    `curl -u 'zoë:pässwörd ✓' https://example.com/a -d a=1 --json '{}' 2>/dev/null`,
    String.raw`curl 'https://üser:%C3%A9@example.com/' -H $'X-A: caf\xc3\xa9' --compressed`,
    'wget -qO- --header="X-A: 1" --tries=2 https://example.com/',
    'curl -F file=@a https://a.test/ | grep b',
  ];
  const calls = commands.map((text) => {
    const command = all.readShellCommand(text);
    const [tool, ...words] = command.words;
    return [command, tool === 'curl' ? all.readCurl(words) : all.readWget(words)];
  });
  const crontab = '# Each night\n0 3 * * * curl -fsS https://a.test/%25x\n@midnight true\nA=b\nx';
  return JSON.stringify([calls, all.parseCrontab(crontab, { isSystem: false })]);
}

test('a browser reads commands and crontabs as Node does, with nothing of Node', async () => {
  const program = await bundled();
  assert.doesNotMatch(program, /\b(?:Buffer|process|require|node:)\b/);
  const page = vm.createContext({ TextDecoder, TextEncoder, URL, btoa });
  vm.runInContext(program, page);
  assert.equal(vm.runInContext(`(${String(readAll)})(readers)`, page), readAll(readers));
  assert.match(readAll(readers), /Basic em/);
  const bytes = gzipSync(program, { level: 9 }).length;
  assert.ok(bytes < 9_500, `${bytes} bytes compressed: does it bring more than the readers?`);
});
