/**
 * A body that is compressed or not in UTF-8, made readable. It is kept as it comes, at most 64 KiB of it, and decoded when its end
 * is known or enough of it has come: to the little text that is shown, and not in the thread that makes calls, since a few
 * bytes can keep a decoder busy for long. What cannot be decoded, or not soon, stays as it came.
 */

import * as zlib from 'node:zlib';
import { ifPossible } from '../../domain/errors.ts';
import type { Timers } from '../../domain/clock.ts';
import { cutPreview, maxPreviewBytes, startPreview } from '../../domain/runs/preview.ts';
import { createPace } from '../pace.ts';

/** Most bytes of a body that are kept to be decoded. */
const maxKeptBytes = 64 * 1024;
/** 4,096 bytes of UTF-8 are at most as many bytes in any charset, shift sequences aside. */
const enoughOfCharset = 4 * maxPreviewBytes;
const firstKeptBytes = 4 * 1024;
/** A character has up to four bytes, so a preview that is cut may have three less than fit. */
const almostFull = maxPreviewBytes - 4;
/** Bodies that are decoded at once. Hostile ones take some 0.2 s each. */
const mostAtOnce = 2;
/** A body that is not decoded by then, its wait included, stays as it came. */
const longestMs = 1_000;

type Decoder = NodeJS.ReadWriteStream & { destroy(): void };
type MakeDecoder = (bytes: Buffer) => Decoder;

/** Before damage, up to so many bytes of text are lost. */
const chunkSize = 512;
/** What comes after damage or a cut is left out, so no decoder asks for the end. */
const deflate = { finishFlush: zlib.constants.Z_SYNC_FLUSH, chunkSize };
const brotli = { finishFlush: zlib.constants.BROTLI_OPERATION_FLUSH, chunkSize };
const zstd = {
  finishFlush: zlib.constants.ZSTD_e_continue,
  chunkSize,
  // RFC 9659: no window of more than 8 MiB.
  params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 },
};

const gunzip: MakeDecoder = () => zlib.createGunzip(deflate);
const decoders = new Map<string, MakeDecoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflateAny],
  ['br', () => zlib.createBrotliDecompress(brotli)],
  ['zstd', () => zlib.createZstdDecompress(zstd)],
]);

/** `deflate` should be the format of zlib (RFC 9110, section 8.4.1.2); some servers leave its header out. */
function inflateAny(bytes: Buffer): Decoder {
  const [first = 0, second = 0] = bytes;
  const hasHeader = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  return hasHeader ? zlib.createInflate(deflate) : zlib.createInflateRaw(deflate);
}

/** Starts to keep a body with this Content-Encoding and this charset; null if there is nothing to decode. */
export function startKeptBody(coding: string | null, charset: string | null): KeptBody | null {
  if (coding === null && charset === null) return null;
  const decoder = coding === null ? undefined : decoders.get(coding);
  // A body in a coding that nobody knows is no text in any charset.
  const text = coding === null || decoder !== undefined ? textDecoderOf(charset) : null;
  return decoder === undefined && text === null ? null : new KeptBody(decoder, text);
}

/** Null for UTF-8, and for labels that the Encoding Standard does not name. */
function textDecoderOf(charset: string | null): InstanceType<typeof TextDecoder> | null {
  if (charset === null) return null;
  const decoder = ifPossible(() => new TextDecoder(charset));
  return decoder === undefined || decoder.encoding === 'utf-8' ? null : decoder;
}

/** The text of a kept body. */
export interface DecodedBody {
  text: string;
  /** Whether the body is longer than its text. */
  truncated: boolean;
  /** Whether the text fills the preview. */
  isFull: boolean;
}

/** A body that is kept to be decoded. */
export class KeptBody {
  readonly #decoder: MakeDecoder | undefined;
  readonly #charset: InstanceType<typeof TextDecoder> | null;
  readonly #most: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(decoder: MakeDecoder | undefined, charset: InstanceType<typeof TextDecoder> | null) {
    this.#decoder = decoder;
    this.#charset = charset;
    this.#most = decoder === undefined ? enoughOfCharset : maxKeptBytes;
  }

  /** Adds the next bytes, which it copies. Returns whether no more of them are needed. */
  push(chunk: Uint8Array): boolean {
    const taken = Math.min(chunk.length, this.#most - this.#length);
    if (this.#length + taken > this.#bytes.length) this.#grow(this.#length + taken);
    this.#bytes.set(chunk.subarray(0, taken), this.#length);
    this.#length += taken;
    return taken < chunk.length;
  }

  isFull(): boolean {
    return this.#length >= this.#most;
  }

  /** Decodes it. `cut`: the body went on after the last `push`. Never rejects. */
  async finish(cut: boolean, host: string, timers: Timers): Promise<DecodedBody> {
    const raw = this.#bytes.subarray(0, this.#length);
    const { bytes, isCut } = await soon(raw, this.#decoder, { host, timers });
    const shown = this.#textOf(bytes, cut || isCut);
    return { ...shown, isFull: Buffer.byteLength(shown.text) > almostFull };
  }

  #textOf(bytes: Buffer, cut: boolean): { text: string; truncated: boolean } {
    if (this.#charset !== null) return cutPreview(decodeText(bytes, this.#charset), cut);
    const preview = startPreview();
    const overflows = preview.push(bytes);
    return preview.finish(cut || overflows);
  }

  #grow(needed: number): void {
    const size = Math.min(this.#most, Math.max(needed, this.#bytes.length * 2, firstKeptBytes));
    const bytes = Buffer.allocUnsafeSlow(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

const inTurn = createPace(mostAtOnce);

interface Decompressed {
  bytes: Buffer;
  isCut: boolean;
}

/** Hosts have turns, so that none delays all others. What has begun cannot be broken off: the next turn comes when it ends. */
async function soon(
  bytes: Buffer,
  decoder: MakeDecoder | undefined,
  { host, timers }: { host: string; timers: Timers },
): Promise<Decompressed> {
  const asItCame = { bytes, isCut: false };
  if (decoder === undefined) return asItCame;
  const { promise, resolve } = Promise.withResolvers<Decompressed>();
  const endsAt = timers.monotonicMs() + longestMs;
  using _ = timers.after(longestMs, resolve, asItCame);
  void inTurn(async () => {
    if (timers.monotonicMs() < endsAt) resolve(await decompressed(bytes, decoder));
  }, host);
  return await promise;
}

/** The beginning of a compressed body, up to its damage or to enough of it; as it came if nothing is readable. */
async function decompressed(bytes: Buffer, decoder: MakeDecoder): Promise<Decompressed> {
  const pieces: Buffer[] = [];
  let length = 0;
  let isCut = false;
  try {
    const stream = decoder(bytes);
    stream.end(bytes);
    // What breaks the loop off destroys the stream.
    for await (const piece of stream) {
      pieces.push(piece as Buffer);
      length += piece.length;
      isCut = length >= enoughOfCharset;
      if (isCut) break;
    }
  } catch {
    if (length === 0) return { bytes, isCut };
    isCut = true;
  }
  return { bytes: Buffer.concat(pieces), isCut };
}

/** `utf-16` is little-endian unless its first bytes say otherwise (Encoding Standard, section 6.1). */
function decodeText(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
  const isBigEndian = decoder.encoding === 'utf-16le' && bytes[0] === 0xfe && bytes[1] === 0xff;
  return (isBigEndian ? new TextDecoder('utf-16be') : decoder).decode(bytes);
}
