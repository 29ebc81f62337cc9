/** Receipts and keys from a file, a directory of files, the lines of a file or standard input. */

import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileProblem } from '../domain/file-problem.ts';
import { judge, type Given, type Judgement } from './judge.ts';
import { maxDocumentBytes } from './json.ts';
import { escaped, unreadable } from './refusal.ts';
import { readTrustedKeys } from './trusted-keys.ts';

/** Largest file of receipts in bytes: some 60,000 of them, one on each line. */
const maxFileBytes = 64 * 1024 * 1024;
/** Lines that may be receipts: each that is none takes a sentence. */
const mostLines = 100_000;

/** Judges the receipts of one path by the keys of another. Throws Refusal, `unreadable`, if either cannot be read. */
export async function judgePaths(receiptPath: string, keyPath: string): Promise<Judgement> {
  const keys = readTrustedKeys(await readKeyFiles(keyPath));
  const { given, inOrder } = await readReceipts(receiptPath);
  return judge(given, inOrder, keys);
}

/**
 * `-` is standard input. Of a directory, `*.json` and `*.ndjson` are read, in no meaningful order. A file of several
 * lines whose first one is an object has a receipt on every line (NDJSON).
 */
async function readReceipts(path: string): Promise<{ given: Given[]; inOrder: boolean }> {
  if (path === '-') {
    const given = receiptsIn('standard input', await readStream(process.stdin, maxFileBytes, path));
    return { given, inOrder: true };
  }
  if (!(await isDirectory(path))) {
    return { given: receiptsIn(path, await readFile(path, maxFileBytes)), inOrder: true };
  }
  const given: Given[] = [];
  for (const file of await filesIn(path, ['.json', '.ndjson'])) {
    given.push(...receiptsIn(file, await readFile(file, maxFileBytes)));
  }
  return { given, inOrder: false };
}

/** Of a directory, `*.json` and `*.pem` are read. */
async function readKeyFiles(path: string): Promise<Uint8Array[]> {
  const files = (await isDirectory(path)) ? await filesIn(path, ['.json', '.pem']) : [path];
  return await Promise.all(files.map((file) => readFile(file, maxDocumentBytes)));
}

/** Nothing is made of blank lines: a file may have one for each of its bytes. */
function receiptsIn(source: string, bytes: Uint8Array): Given[] {
  const lines: Given[] = [];
  for (let at = 0, start = 0, line = 1; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x20) {
      const end = bytes.indexOf(0x0a, at);
      at = end === -1 ? bytes.length : end;
      const full = bytes.subarray(start, at);
      if (lines.length === 0 && !isObject(full)) break;
      if (lines.length === mostLines)
        throw unreadable(`${escaped(source)} has more than ${mostLines} lines: split it`);
      lines.push({ source: `${source}, line ${line}`, bytes: full });
    } else if (byte !== 0x0a) continue;
    start = at + 1;
    line += 1;
  }
  return lines.length > 1 ? lines : [{ source, bytes }];
}

function isObject(line: Uint8Array): boolean {
  const text = Buffer.from(line).toString('latin1').trim();
  return text.startsWith('{') && text.endsWith('}');
}

async function isDirectory(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function filesIn(directory: string, endings: readonly string[]): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(directory);
  } catch (error) {
    throw cannotRead(directory, error);
  }
  const files = names.filter((name) => {
    return !name.startsWith('.') && endings.some((ending) => name.endsWith(ending));
  });
  if (files.length === 0) {
    throw unreadable(`${escaped(directory)} contains no file named *${endings.join(' or *')}`);
  }
  // oxlint-disable-next-line no-array-sort -- toSorted is unknown to Node 18
  return files.sort().map((name) => join(directory, name));
}

async function readFile(path: string, limit: number): Promise<Uint8Array> {
  return await readStream(createReadStream(path), limit, path);
}

/** Reads no further than the limit: the path may be of any file. */
async function readStream(
  stream: AsyncIterable<unknown>,
  limit: number,
  path: string,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      length += chunk.length;
      if (length > limit) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw cannotRead(path, error);
  }
  if (length > limit) throw unreadable(`${escaped(path)} has more than ${limit} bytes`);
  return Buffer.concat(chunks);
}

function cannotRead(path: string, error: unknown): Error {
  return unreadable(fileProblem(escaped(path), error));
}
