/**
 * The preview of a body that somebody sent: at most 4096 bytes, counted as UTF-8 after invalid bytes
 * were replaced, cut between two characters. What comes after is not kept.
 */

/** Most bytes of UTF-8 a preview holds (docs/behavior.md#result-2). */
export const maxPreviewBytes = 4096;
/** An invalid byte becomes U+FFFD, three bytes: what is shorter than this cannot overflow. */
const surelyFits = Math.floor(maxPreviewBytes / 3);
/** Replacement never makes text shorter; four bytes more let the character at the cut be whole. */
const enoughRawBytes = maxPreviewBytes + 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A preview being filled. */
export interface Preview {
  /** Takes the next bytes; returns whether the body is known to be longer than the preview. */
  push(chunk: Uint8Array): boolean;
  /** Whether nothing more fits, be there more or not. */
  isFull(): boolean;
  /** The text kept, and whether it is less than the body; `cut` says that the body went on. */
  finish(cut: boolean): { text: string; truncated: boolean };
}

/** Starts an empty preview. */
export function startPreview(): Preview {
  let chunks: Uint8Array[] = [];
  let rawBytes = 0;
  // Bodies that may overflow are decoded as they come, each byte once, however it drips.
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
      chunks.push(kept);
      if (rawBytes <= surelyFits) return false;
      decodePending(true);
      return rawBytes > maxPreviewBytes || textBytes > maxPreviewBytes;
    },
    isFull: () => rawBytes >= maxPreviewBytes || textBytes >= maxPreviewBytes,
    finish(cut) {
      if (streaming === null) {
        const whole = chunks.length === 1 ? chunks[0] : Buffer.concat(chunks);
        return { text: decoder.decode(whole), truncated: cut };
      }
      // A character whose end was not read is no invalid byte.
      decodePending(cut);
      if (textBytes <= maxPreviewBytes) return { text, truncated: cut };
      const { read } = encoder.encodeInto(text, new Uint8Array(maxPreviewBytes));
      return { text: text.slice(0, read), truncated: true };
    },
  };
}
