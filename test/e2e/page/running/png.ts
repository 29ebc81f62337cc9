/**
 * PNG files with a palette: pictures of pages have few colours, and become far smaller so. Reads what Chromium writes: 8 bits
 * for each of red, green and blue, with or without alpha, not interlaced (https://www.w3.org/TR/png-3/).
 */

import assert from 'node:assert/strict';
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from('89504e470d0a1a0a', 'hex');
const mostColors = 256;

/** A picture whose pixels are numbers of colours. */
export interface Picture {
  width: number;
  height: number;
  /** Colours as 0xRRGGBB. */
  colors: number[];
  pixels: Uint8Array;
}

/** The same picture with a palette. Beyond 256 colours, those that hardly differ become one. */
export function withPalette(png: Uint8Array): Buffer {
  return writePng(readPng(png));
}

/** Reads a picture, with 256 colours at most. */
export function readPng(png: Uint8Array): Picture {
  const file = Buffer.from(png);
  const data: Buffer[] = [];
  const head = { width: 0, height: 0, channels: 0 };
  for (let at = signature.length; at < file.length;) {
    const length = file.readUInt32BE(at);
    const type = file.toString('latin1', at + 4, at + 8);
    const body = file.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      const [depth, color, , , interlace] = body.subarray(8);
      assert.deepEqual([depth, interlace], [8, 0], 'not as Chromium writes it');
      assert.ok(color === 2 || color === 6, 'not in colour');
      head.width = body.readUInt32BE(0);
      head.height = body.readUInt32BE(4);
      head.channels = color === 2 ? 3 : 4;
    }
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const { width, height, channels } = head;
  const bytes = unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels);
  const values = new Uint32Array(width * height);
  for (let index = 0; index < values.length; index += 1) {
    values[index] = bytes.readUIntBE(index * channels, 3);
  }
  return { width, height, ...paletteOf(values) };
}

/** Undoes the filters of all lines, each of which begins with the number of its filter. */
function unfiltered(filtered: Uint8Array, lineBytes: number, pixelBytes: number): Buffer {
  const lines = filtered.length / (lineBytes + 1);
  const bytes = Buffer.alloc(lines * lineBytes);
  for (let line = 0; line < lines; line += 1) {
    const filter = filtered[line * (lineBytes + 1)] ?? 0;
    for (let index = 0; index < lineBytes; index += 1) {
      const at = line * lineBytes + index;
      const isFirst = index < pixelBytes;
      const left = isFirst ? 0 : (bytes[at - pixelBytes] ?? 0);
      const above = line === 0 ? 0 : (bytes[at - lineBytes] ?? 0);
      const corner = isFirst || line === 0 ? 0 : (bytes[at - lineBytes - pixelBytes] ?? 0);
      const raw = filtered[at + line + 1] ?? 0;
      bytes[at] = raw + predicted(filter, left, above, corner);
    }
  }
  return bytes;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  if (filter !== 4) return 0;
  const [toLeft, toAbove] = [Math.abs(above - corner), Math.abs(left - corner)];
  const toCorner = Math.abs(left + above - 2 * corner);
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}

/**
 * Takes the colour that would be wrong most, by its distance to those taken before and by how often it occurs, until there
 * are 256. So a rare colour stays what it is, unless others are much like it.
 */
function paletteOf(values: Uint32Array): Pick<Picture, 'colors' | 'pixels'> {
  const counts = new Map<number, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  const found = [...counts].toSorted(([, a], [, b]) => b - a);
  const errors = found.map(() => Infinity);
  const numbers = new Map<number, number>();
  const colors: number[] = [];
  for (let worst = 0; worst >= 0 && colors.length < mostColors;) {
    const taken = found[worst]?.[0] ?? 0;
    colors.push(taken);
    worst = -1;
    for (const [index, [color, count]] of found.entries()) {
      const error = count * distance(color, taken);
      if (error < (errors[index] ?? 0)) {
        errors[index] = error;
        numbers.set(color, colors.length - 1);
      }
      if ((errors[index] ?? 0) > (errors[worst] ?? 0)) worst = index;
    }
  }
  return { colors, pixels: Uint8Array.from(values, (value) => numbers.get(value) ?? 0) };
}

/** The square of the distance between two colours. */
function distance(one: number, other: number): number {
  const red = (one >> 16) - (other >> 16);
  const green = ((one >> 8) & 255) - ((other >> 8) & 255);
  const blue = (one & 255) - (other & 255);
  return red * red + green * green + blue * blue;
}

/** Writes a picture. */
export function writePng({ width, height, colors, pixels }: Picture): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3], 8);
  const palette = Buffer.alloc(colors.length * 3);
  for (const [number, color] of colors.entries()) palette.writeUIntBE(color, number * 3, 3);
  const lines = Buffer.alloc(height * (width + 1));
  for (let line = 0; line < height; line += 1) {
    lines.set(pixels.subarray(line * width, (line + 1) * width), line * (width + 1) + 1);
  }
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  const chunks = [chunk('IHDR', head), chunk('PLTE', palette), chunk('IDAT', data)];
  return Buffer.concat([signature, ...chunks, chunk('IEND', Buffer.alloc(0))]);
}

function chunk(type: string, body: Buffer): Buffer {
  const whole = Buffer.alloc(body.length + 12);
  whole.writeUInt32BE(body.length, 0);
  whole.write(type, 4, 'latin1');
  whole.set(body, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, body.length + 8)), body.length + 8);
  return whole;
}
