/**
 * A new executable: fetched into a directory of its own, checked, unpacked. It is compared with its SHA-256 and, with a public key,
 * the list of these is compared with its Ed25519 signature. Nothing of it runs before that.
 */

import { createHash, createPublicKey, verify } from 'node:crypto';
import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { JobdError, messageOf, systemCode, unavailable } from '../../domain/errors.ts';
import { fileProblem } from '../../domain/file-problem.ts';
import { sizeText } from '../../domain/sizes.ts';
import { download } from '../../egress/download.ts';
import { syncFile } from '../../base/whole-file.ts';

/** What names a new executable, and what proves it. */
export interface ReleaseSource {
  /** A file or a URL, as it is or compressed (`.gz`). */
  from: string;
  /** Its SHA-256 in hexadecimal; null for that in `SHA256SUMS` beside it. */
  sha256: string | null;
  /** The file of an Ed25519 public key (PEM), which must have signed `SHA256SUMS`; null to check no signature. */
  publicKey: string | null;
}

const limits = {
  program: { bytes: 512 * 1024 * 1024, timeoutMs: 15 * 60_000 },
  list: { bytes: 1024 * 1024, timeoutMs: 30_000 },
};

/** Puts the executable into a directory, checked and executable. Returns its path. Throws `JobdError`. */
export async function takeRelease(source: ReleaseSource, directory: string): Promise<string> {
  const { from, sha256, publicKey } = source;
  const given = sha256 === null ? null : parseSum(sha256);
  const name = nameIn(from);
  const needsList = given === null || publicKey !== null;
  const list = needsList ? await textOf(beside(from, 'SHA256SUMS')) : '';
  if (publicKey !== null) await checkSignature(from, list, publicKey);
  const fetched = join(directory, 'fetched');
  await fetchTo(from, fetched);
  const sum = await sumOf(fetched);
  // With a signature, the list is what was signed.
  for (const expected of [given, needsList ? sumIn(list, name, from) : null]) {
    if (expected !== null && expected !== sum) throw wrongSum(from, expected, sum);
  }
  const program = join(directory, 'jobd');
  if (name.endsWith('.gz')) await unpack(fetched, program, from);
  else fs.renameSync(fetched, program);
  fs.chmodSync(program, 0o755);
  syncFile(program);
  return program;
}

function isUrl(from: string): boolean {
  return /^[a-z]+:\/\//i.test(from);
}

function nameIn(from: string): string {
  return basename(isUrl(from) ? (URL.parse(from)?.pathname ?? '') : from);
}

function beside(from: string, name: string): string {
  return isUrl(from) ? new URL(name, from).href : join(dirname(from), name);
}

function parseSum(text: string): string {
  const sum = text.trim().toLowerCase();
  if (/^[0-9a-f]{64}$/.test(sum)) return sum;
  throw new JobdError('invalid_input', `--sha256 must be 64 hexadecimal digits, got ${text}`);
}

function sumIn(list: string, name: string, from: string): string {
  for (const line of list.split('\n')) {
    const [, sum, file] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line.trimEnd()) ?? [];
    if (sum !== undefined && file === name) return sum;
  }
  throw new JobdError('unavailable', `${beside(from, 'SHA256SUMS')} does not list ${name}`);
}

function wrongSum(from: string, expected: string, sum: string): JobdError {
  return new JobdError(
    'unavailable',
    `${from} does not match its checksum: it is damaged or not genuine, nothing was changed`,
    { notes: [`expected ${expected}`, `it has ${sum}`] },
  );
}

async function checkSignature(from: string, list: string, publicKey: string): Promise<void> {
  const key = readPublicKey(publicKey);
  const place = beside(from, 'SHA256SUMS.sig');
  const parts: Uint8Array[] = [];
  await read(place, limits.list, (chunk) => parts.push(Buffer.from(chunk)));
  if (verify(null, Buffer.from(list), key, Buffer.concat(parts))) return;
  throw new JobdError(
    'unavailable',
    `${place} is not a signature of SHA256SUMS by the key in ${publicKey}: nothing was changed`,
  );
}

function readPublicKey(path: string): ReturnType<typeof createPublicKey> {
  try {
    const key = createPublicKey(fs.readFileSync(path));
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' || code === 'EACCES') {
      throw new JobdError('not_found', fileProblem(path, error), { cause: error });
    }
  }
  throw new JobdError('invalid_input', `${path} is no Ed25519 public key in PEM form`);
}

async function textOf(place: string): Promise<string> {
  const parts: Uint8Array[] = [];
  try {
    await read(place, limits.list, (chunk) => parts.push(Buffer.from(chunk)));
  } catch (error) {
    if (!(error instanceof JobdError) || error.code !== 'not_found') throw error;
    const notes = ['name its SHA-256: --sha256 HEX', 'or put SHA256SUMS of the release beside it'];
    throw new JobdError('not_found', `nothing proves the new executable: ${error.message}`, {
      cause: error,
      notes,
    });
  }
  return Buffer.concat(parts).toString();
}

async function fetchTo(from: string, path: string): Promise<void> {
  const descriptor = fs.openSync(path, 'wx', 0o600);
  try {
    await read(from, limits.program, (chunk) => fs.writeFileSync(descriptor, chunk));
  } finally {
    fs.closeSync(descriptor);
  }
}

async function read(
  place: string,
  limit: { bytes: number; timeoutMs: number },
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  if (isUrl(place)) return await download(place, limit, take);
  let bytes = 0;
  try {
    for await (const chunk of fs.createReadStream(place) as AsyncIterable<Uint8Array>) {
      bytes += chunk.length;
      if (bytes > limit.bytes) throw new Error(`it has more than ${sizeText(limit.bytes)}`);
      take(chunk);
    }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') {
      throw new JobdError('not_found', fileProblem(place, error), { cause: error });
    }
    throw unavailable(`${place} cannot be copied`, error);
  }
}

async function sumOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  for await (const chunk of fs.createReadStream(path)) sum.update(chunk as Uint8Array);
  return sum.digest('hex');
}

async function unpack(packed: string, path: string, from: string): Promise<void> {
  let bytes = 0;
  try {
    await pipeline(
      fs.createReadStream(packed),
      createGunzip(),
      async function* bounded(chunks: AsyncIterable<Uint8Array>) {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > limits.program.bytes) throw new Error('it becomes too large');
          yield chunk;
        }
      },
      fs.createWriteStream(path, { flags: 'wx', mode: 0o600 }),
    );
  } catch (error) {
    throw new JobdError('unavailable', `cannot unpack ${from}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  fs.rmSync(packed);
}
