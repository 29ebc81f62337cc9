import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from '../support/fast-check.ts';
import { startPreview } from '../../src/domain/runs/preview.ts';
import { fakeTimers } from '../support/fakes/timers.ts';
import { answer, eventually, get, responseOf, startEgress, startTarget } from './support.ts';

/** The expected preview of these bytes, computed the simple way. */
function expected(bytes: Buffer): { text: string; truncated: boolean } {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  let kept = '';
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > 4096) return { text: kept, truncated: true };
    kept += character;
  }
  return { text: kept, truncated: false };
}

function previewOf(bytes: Buffer, chunkBytes: number): { text: string; truncated: boolean } {
  const preview = startPreview();
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    if (preview.push(bytes.subarray(at, at + chunkBytes))) break;
  }
  return preview.finish(false);
}

const boundaries: [string, Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['4095 bytes', Buffer.alloc(4095, 'a')],
  ['4096 bytes', Buffer.alloc(4096, 'a')],
  ['4097 bytes', Buffer.alloc(4097, 'a')],
  ['100 KiB', Buffer.alloc(102_400, 'a')],
  ['2-byte letter at the cut', Buffer.from(`${'a'.repeat(4095)}é`)],
  ['2-byte letter before the cut', Buffer.from(`${'a'.repeat(4094)}é`)],
  ['3-byte letter at the cut', Buffer.from(`${'a'.repeat(4094)}日`)],
  ['4-byte letter at the cut', Buffer.from(`${'a'.repeat(4093)}😀`)],
  ['4-byte letter before the cut', Buffer.from(`${'a'.repeat(4092)}😀`)],
  ['invalid bytes that just fit', Buffer.alloc(1365, 0xff)],
  ['invalid bytes that overflow', Buffer.alloc(1366, 0xff)],
  ['unfinished letter at the end', Buffer.concat([Buffer.alloc(4093, 'a'), Buffer.from([0xe6])])],
  ['byte order mark', Buffer.from('\ufeffabc')],
];

test('a preview is the first 4096 bytes of UTF-8, cut between two characters', () => {
  for (const [what, bytes] of boundaries) {
    for (const chunkBytes of [1, 7, 1000, 65_536]) {
      assert.deepEqual(previewOf(bytes, chunkBytes), expected(bytes), `${what} by ${chunkBytes}`);
    }
  }
});

test('a preview does not depend on how the bytes were split', () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
    fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => Buffer.from(text)),
    fc.nat(3000).map((length) => Buffer.alloc(length, 'é')),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 6 }),
      fc.integer({ min: 1, max: 3000 }),
      (pieces, n) => {
        const bytes = Buffer.concat(pieces);
        assert.deepEqual(previewOf(bytes, n), expected(bytes));
      },
    ),
    { numRuns: 500 },
  );
});

test('a body cut within a character shows no replacement for it', () => {
  const preview = startPreview();
  preview.push(Buffer.from(`${'a'.repeat(4093)}😀`).subarray(0, 4096));
  assert.ok(preview.isFull());
  assert.deepEqual(preview.finish(true), { text: 'a'.repeat(4093), truncated: true });
});

for (const [what, bytes] of boundaries) {
  test(`the preview of a response with ${what} is right`, async (t) => {
    const target = await startTarget(t, (socket) => socket.write(answer(bytes)));
    const response = responseOf(await startEgress(t).call(get(target.url)));
    const { text, truncated } = expected(bytes);
    assert.deepEqual([response.body, response.truncated, response.broken], [text, truncated, null]);
  });
}

test('reading stops when the preview is full, and the connection is dropped', async (t) => {
  const target = await startTarget(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    const more = (): void => {
      while (!socket.destroyed && socket.write('a'.repeat(1000)));
    };
    socket.on('drain', more);
    more();
  });
  const response = responseOf(await startEgress(t).call(get(target.url)));
  assert.deepEqual([response.body, response.truncated], ['a'.repeat(4096), true]);
  assert.equal(response.broken, null);
  await eventually(() => target.open.size === 0);
});

test(
  'a body that announces more than fits is not waited for once the preview is full',
  { timeout: 60_000 },
  async (t) => {
    const target = await startTarget(t, (socket) =>
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n${'a'.repeat(4096)}`),
    );
    // Its time does not pass, so nothing else ends the call.
    const egress = startEgress(t, { timers: fakeTimers() });
    const response = responseOf(await egress.call(get(target.url)));
    assert.deepEqual(
      [response.body.length, response.truncated, response.broken],
      [4096, true, null],
    );
  },
);
