/** The preview of a body: its first 4096 bytes as UTF-8, invalid bytes replaced, cut between two characters. No more is kept. */

/** Most bytes of UTF-8 a preview holds (docs/behavior.md#result-2). */
export const maxPreviewBytes = 4096;
/** An invalid byte becomes U+FFFD, three bytes: a shorter body cannot overflow. */
const surelyFits = Math.floor(maxPreviewBytes / 3);
/** Replacement never makes text shorter. Four more bytes complete the character at the cut. */
const enoughRawBytes = maxPreviewBytes + 4;

const encoder = new TextEncoder();

/** A preview being filled. */
export interface Preview {
  /** Adds the next bytes, which it copies. Returns whether the body is known to be longer than the preview. */
  push(chunk: Uint8Array): boolean;
  /** Whether nothing more fits. */
  isFull(): boolean;
  /** The text, and whether the body is longer. `cut`: the body went on after the last `push`. */
  finish(cut: boolean): { text: string; truncated: boolean };
}

/** Starts an empty preview. */
export function startPreview(): Preview {
  let chunks: Buffer[] = [];
  let rawBytes = 0;
  // Bodies that may overflow are decoded as they arrive, each byte once, however slowly they arrive.
  let streaming: InstanceType<typeof TextDecoder> | null = null;
  let text = '';
  let textBytes = 0;

  function decodePending(more: boolean): void {
    const pending = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
    chunks = [];
    streaming ??= new TextDecoder('utf-8', { ignoreBOM: true });
    const decoded = streaming.decode(pending, { stream: more });
    text += decoded;
    textBytes += Buffer.byteLength(decoded);
  }

  return {
    push(chunk) {
      const room = enoughRawBytes - rawBytes;
      const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
      rawBytes += kept.length;
      chunks.push(Buffer.from(kept));
      if (rawBytes <= surelyFits) return false;
      decodePending(true);
      return rawBytes > maxPreviewBytes || textBytes > maxPreviewBytes;
    },
    isFull: () => rawBytes >= maxPreviewBytes || textBytes >= maxPreviewBytes,
    finish(cut) {
      if (streaming === null) return { text: Buffer.concat(chunks).toString(), truncated: cut };
      // A character whose end was not read is not invalid.
      decodePending(cut);
      return textBytes <= maxPreviewBytes ? { text, truncated: cut } : cutPreview(text, true);
    },
  };
}

/** The preview of a text. `cut`: the body went on after it. */
export function cutPreview(text: string, cut: boolean): { text: string; truncated: boolean } {
  const { read } = encoder.encodeInto(text, new Uint8Array(maxPreviewBytes));
  return { text: text.slice(0, read), truncated: cut || read < text.length };
}
