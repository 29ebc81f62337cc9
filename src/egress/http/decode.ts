/**
 * A body that is compressed or not in UTF-8, made readable. It is kept as it comes, and decoded when its end is known or enough of
 * it has come: at most 64 KiB of it, to about as much text. What cannot be decoded stays as it came.
 */

import {
  brotliDecompressSync,
  constants,
  gunzipSync,
  inflateRawSync,
  inflateSync,
  zstdDecompressSync,
} from 'node:zlib';
import { systemCode } from '../../domain/errors.ts';
import { cutPreview, maxPreviewBytes, startPreview } from '../../domain/runs/preview.ts';
import type { Preview } from '../../domain/runs/preview.ts';

/** Most bytes of a body that are kept to be decoded, and that they may become. */
const maxKeptBytes = 64 * 1024;
const maxDecodedBytes = 64 * 1024;
/** A block of zstd holds up to 128 KiB, and is decoded whole. */
const maxZstdBytes = 192 * 1024;
/** 4,096 bytes of UTF-8 are at most as many bytes in any charset, shift sequences aside. */
const enoughOfCharset = 4 * maxPreviewBytes;
const firstKeptBytes = 4 * 1024;
/** A character has up to four bytes, so a preview that is cut may have three less than fit. */
const almostFull = maxPreviewBytes - 4;

type Decoder = (bytes: Buffer) => Buffer;

/** What comes after damage or a cut is left out, so no decoder asks for the end. */
const deflateOptions = {
  finishFlush: constants.Z_SYNC_FLUSH,
  maxOutputLength: maxDecodedBytes,
};
const brotliOptions = {
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
  maxOutputLength: maxDecodedBytes,
};
const zstdOptions = {
  finishFlush: constants.ZSTD_e_continue,
  maxOutputLength: maxZstdBytes,
  // RFC 9659: no window of more than 8 MiB.
  params: { [constants.ZSTD_d_windowLogMax]: 23 },
};

const gunzip: Decoder = (bytes) => gunzipSync(bytes, deflateOptions);
const decoders = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', inflateAny],
  ['br', (bytes) => brotliDecompressSync(bytes, brotliOptions)],
  ['zstd', (bytes) => zstdDecompressSync(bytes, zstdOptions)],
]);

/** `deflate` should be the format of zlib (RFC 9110, section 8.4.1.2); some servers leave its header out. */
function inflateAny(bytes: Buffer): Buffer {
  const [first = 0, second = 0] = bytes;
  const hasHeader = (first & 15) === 8 && ((first << 8) | second) % 31 === 0;
  return hasHeader ? inflateSync(bytes, deflateOptions) : inflateRawSync(bytes, deflateOptions);
}

/** Starts the preview of a body with this Content-Encoding and this charset; null if there is nothing to decode. */
export function startDecodedPreview(coding: string | null, charset: string | null): Preview | null {
  if (coding === null && charset === null) return null;
  const decoder = coding === null ? undefined : decoders.get(coding);
  // A body in a coding that nobody knows is no text in any charset.
  const text = coding === null || decoder !== undefined ? textDecoderOf(charset) : null;
  return decoder === undefined && text === null ? null : new Kept(decoder, text);
}

/** Null for UTF-8, and for labels that the Encoding Standard does not name. */
function textDecoderOf(charset: string | null): InstanceType<typeof TextDecoder> | null {
  if (charset === null) return null;
  try {
    const decoder = new TextDecoder(charset);
    return decoder.encoding === 'utf-8' ? null : decoder;
  } catch {
    return null;
  }
}

/** A body that is kept to be decoded. */
class Kept implements Preview {
  readonly #decoder: Decoder | undefined;
  readonly #charset: InstanceType<typeof TextDecoder> | null;
  readonly #most: number;
  #bytes = Buffer.alloc(0);
  #length = 0;

  constructor(decoder: Decoder | undefined, charset: InstanceType<typeof TextDecoder> | null) {
    this.#decoder = decoder;
    this.#charset = charset;
    this.#most = decoder === undefined ? enoughOfCharset : maxKeptBytes;
  }

  push(chunk: Uint8Array): boolean {
    const taken = Math.min(chunk.length, this.#most - this.#length);
    if (this.#length + taken > this.#bytes.length) this.#grow(this.#length + taken);
    this.#bytes.set(chunk.subarray(0, taken), this.#length);
    this.#length += taken;
    return taken < chunk.length;
  }

  isFull(): boolean {
    return this.#length >= this.#most || Buffer.byteLength(this.finish(true).text) > almostFull;
  }

  finish(cut: boolean): { text: string; truncated: boolean } {
    const raw = this.#bytes.subarray(0, this.#length);
    const { bytes, isDamaged } = decompressed(raw, this.#decoder);
    if (this.#charset === null) {
      const preview = startPreview();
      const overflows = preview.push(bytes);
      return preview.finish(cut || isDamaged || overflows);
    }
    return cutPreview(decodeText(bytes, this.#charset), cut || isDamaged);
  }

  #grow(needed: number): void {
    const size = Math.min(this.#most, Math.max(needed, this.#bytes.length * 2, firstKeptBytes));
    const bytes = Buffer.allocUnsafeSlow(size);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}

/** What is readable of a compressed body: up to its damage, or as it came if nothing is. */
function decompressed(bytes: Buffer, decoder?: Decoder): { bytes: Buffer; isDamaged: boolean } {
  if (decoder === undefined) return { bytes, isDamaged: false };
  const whole = attempt(decoder, bytes);
  if (Buffer.isBuffer(whole)) return { bytes: whole, isDamaged: false };
  // What can be read of the longest beginning without damage, found by halves.
  let best = Buffer.alloc(0);
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 1) {
    const middle = (good + bad) >>> 1;
    const part = attempt(decoder, bytes.subarray(0, middle));
    if (Buffer.isBuffer(part)) [good, best] = [middle, part];
    else bad = middle;
  }
  const isOther = best.length === 0 && whole === 'damaged';
  return isOther ? { bytes, isDamaged: false } : { bytes: best, isDamaged: true };
}

function attempt(decoder: Decoder, bytes: Buffer): Buffer<ArrayBuffer> | 'damaged' | 'too much' {
  try {
    return Buffer.from(decoder(bytes));
  } catch (error) {
    return systemCode(error) === 'ERR_BUFFER_TOO_LARGE' ? 'too much' : 'damaged';
  }
}

/** `utf-16` is little-endian unless its first bytes say otherwise (Encoding Standard, section 6.1). */
function decodeText(bytes: Buffer, decoder: InstanceType<typeof TextDecoder>): string {
  const isBigEndian = decoder.encoding === 'utf-16le' && bytes[0] === 0xfe && bytes[1] === 0xff;
  return (isBigEndian ? new TextDecoder('utf-16be') : decoder).decode(bytes);
}
