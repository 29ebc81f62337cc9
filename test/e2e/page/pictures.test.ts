import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pages, pictureName, themes, windows } from './pages.ts';
import { steps } from './story/tell.ts';

const images = join(import.meta.dirname, '..', '..', '..', 'docs', 'images');
const ofDay = steps.map((step) => ({ name: `${step}.png`, width: windows[0].width }));
const ofPages = pages.flatMap((page) =>
  themes.flatMap((theme) =>
    windows.map(({ width }) => ({ name: pictureName(page, theme, width), width })),
  ),
);
const wanted = [...ofPages, ...ofDay];

describe('docs/images', () => {
  test('has four pictures of each page and one of each step of the day, in their width', () => {
    for (const { name, width } of wanted) {
      const bytes = readFileSync(join(images, name));
      assert.equal(bytes.toString('latin1', 1, 4), 'PNG', name);
      assert.equal(bytes.readUInt32BE(16), width, name);
    }
  });

  test('has no picture of a page that is gone', () => {
    const known = new Set(wanted.map(({ name }) => name));
    const unknown = readdirSync(images).filter((name) => !known.has(name));
    assert.deepEqual(unknown, [], 'npm run screenshots makes them again');
  });
});
