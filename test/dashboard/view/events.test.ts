import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents } from '../../../src/dashboard/view/events.ts';

const hello = { event: 'hello', data: { workspaceId: 'w', version: '1', at: 'ö' } };
const changed = { event: 'changed', data: { jobs: ['a'], runs: [], monitors: [], channels: [] } };
const written = [hello, changed].map(
  ({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
);
const stream = `${written[0]}: still here\n\n${written[1]}`;

function bodyOf(text: string, size: number): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.slice(index * size, (index + 1) * size),
  );
  return ReadableStream.from(parts);
}

for (const size of [1, 2, 3, 7, 1000]) {
  test(`in pieces of ${size} bytes`, async () => {
    const read = await Array.fromAsync(readEvents(bodyOf(stream, size)));
    assert.deepEqual(read, [hello, changed]);
  });
}

test('a comment is no event, but is heard', async () => {
  let heard = 0;
  const body = bodyOf(': still here\n\n', 1000);
  const read = await Array.fromAsync(readEvents(body, () => (heard += 1)));
  assert.deepEqual([read, heard], [[], 1]);
});

test('an event that is cut off at the end is left out', async () => {
  const cut = bodyOf(stream.slice(0, -3), 1000);
  assert.deepEqual(await Array.fromAsync(readEvents(cut)), [hello]);
});
