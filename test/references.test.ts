/** References from code, tests and pages to pages of docs/ must resolve. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { test } from 'node:test';
import { anchorsOf } from './support/checks/anchors.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const find = (...patterns: string[]): string[] => globSync(patterns, { cwd: root });

/** Asserts that a page exists and has the anchor. */
function assertLeads(page: string, anchor: string | undefined, from: string): void {
  assert.ok(existsSync(join(root, page)), `${from} refers to ${page}, which is not there`);
  if (anchor === undefined) return;
  assert.ok(
    anchorsOf(read(page)).has(anchor),
    `${from} refers to ${page}#${anchor}: no such anchor`,
  );
}

test('every page of docs/ that code, tests and README name exists, with its anchor', () => {
  for (const file of find('{src,test,bench,packaging}/**/*.{ts,tsx,mjs}', 'build.mjs', '*.md')) {
    for (const [, page = '', anchor] of read(file).matchAll(
      /\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g,
    )) {
      assertLeads(page, anchor, file);
    }
  }
});

test('every link from one page to another resolves', () => {
  for (const file of find('docs/**/*.md', '*.md')) {
    for (const [, path = '', anchor] of read(file).matchAll(/\]\(([\w./-]*)(?:#([\w-]+))?\)/g)) {
      if (path === '' && anchor === undefined) continue;
      const page = path === '' ? file : relative(root, join(root, dirname(file), path));
      assertLeads(page, page.endsWith('.md') ? anchor : undefined, file);
    }
  }
});

test('a link that is called by the number of a decision leads to that decision', () => {
  const link = /\[(?:decisions\/|Decision )?(\d+)\]\([\w./-]*?(\d{4})-[\w-]+\.md(?:#([\w-]+))?\)/g;
  for (const file of find('{docs,src}/**/*.md', '*.md')) {
    for (const [text, number = '', page, anchor] of read(file).matchAll(link)) {
      assert.ok([page, anchor].includes(number.padStart(4, '0')), `${file}: ${text}`);
    }
  }
});

test('each picture is on a page', () => {
  const pages = find('docs/*.md', 'README.md').map(read).join('');
  const unseen = find('docs/images/*').filter(
    (path) => !pages.includes(`images/${basename(path)}`),
  );
  assert.deepEqual(unseen, []);
});

test('no text refers to a document outside the repository', () => {
  for (const file of find('{src,test,bench}/**/*.{ts,tsx}')) {
    assert.doesNotMatch(read(file), /\((?:spec|design) sections? \d/, file);
  }
});

test('every source file that a page names exists', () => {
  const layers = 'app|api|cli|dashboard|domain|egress|engine|metrics|receipt|secrets|store';
  const named = new RegExp(`\`(?:src/)?((?:${layers})/[\\w/-]+\\.tsx?)\``, 'g');
  for (const page of find('*.md', 'docs/**/*.md')) {
    for (const [, path = ''] of read(page).matchAll(named)) {
      assert.ok(existsSync(join(root, 'src', path)), `${page} names ${path}, which is not there`);
    }
  }
});
