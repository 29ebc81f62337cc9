import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { readPng, withPalette } from './png.ts';

function chunk(type: string, body: Buffer): Buffer {
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  const named = Buffer.concat([Buffer.from(type), body]);
  length.writeUInt32BE(body.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

function gray(level: number): number[] {
  return [level, level, level];
}

/** A PNG as browsers write it: its lines are the bytes of their filters and pixels. */
function pngOf(width: number, lines: readonly (readonly number[])[]): Buffer {
  const head = Buffer.from([0, 0, 0, width, 0, 0, 0, lines.length, 8, 2, 0, 0, 0]);
  const data = deflateSync(Buffer.from(lines.flat()));
  const begin = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([begin, chunk('IHDR', head), chunk('IDAT', data)]);
}

/** The colours of all pixels. */
function colorsOf(png: Buffer): number[] {
  const { colors, pixels } = readPng(png);
  return Array.from(pixels, (number) => colors[number] ?? -1);
}

test('each filter of a line is undone', () => {
  const png = pngOf(2, [
    [0, 1, 2, 3, 10, 20, 30],
    [1, 1, 2, 3, 9, 18, 27],
    [2, 0, 0, 0, 1, 1, 1],
    [3, 1, 1, 1, 0, 0, 0],
    [4, 1, 0, 255, 0, 1, 0],
  ]);
  assert.deepEqual(
    colorsOf(png),
    [
      0x010203, 0x0a141e, 0x010203, 0x0a141e, 0x010203, 0x0b151f, 0x010202, 0x060b10, 0x020201,
      0x060c10,
    ],
  );
});

test('a picture with a palette has the same pixels', () => {
  const png = withPalette(
    pngOf(3, [
      [0, 255, 255, 255, 0, 0, 0, 255, 255, 255],
      [0, 0, 0, 0, 255, 0, 0, 255, 255, 255],
    ]),
  );
  const [palette, data] = ['PLTE', 'IDAT'].map((type) => {
    const at = png.indexOf(type);
    return png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  });
  assert.equal(palette?.toString('hex'), 'ffffff000000ff0000');
  assert.deepEqual([...inflateSync(data ?? '')], [0, 0, 1, 0, 0, 1, 2, 0]);
});

test('beyond 256 colours, a rare one becomes the nearest, if that is near', () => {
  const all = Array.from({ length: 127 }, (_, level) => gray(level * 2)).flat();
  const line = [0, ...all];
  const others = [0, ...Array.from({ length: 127 }, (_, level) => [255, level * 2, 0]).flat()];
  const rare = [0, 3, 2, 2, ...Array.from({ length: 126 }, () => gray(0)).flat()];
  const few = [0, ...[1, 2, 3].flatMap((level) => [0, 0, 200 + level]), ...others.slice(10)];
  const colors = colorsOf(pngOf(127, [line, line, others, others, few, few, rare]));
  assert.ok(new Set(colors).size <= 256);
  assert.equal(colors[6 * 127], 0x020202);
  assert.equal(colors[4 * 127], 0x0000c9);
});
