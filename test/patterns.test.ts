/**
 * No regular expression takes more steps than its text is long. An engine tries one way after the other: what can be read
 * in several ways, or is begun again at each place, costs the square of its length, or more.
 */

import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { findAttack } from './support/patterns/attack.ts';
import { literalsIn } from './support/patterns/literals.ts';
import { root } from './support/suite/suites.ts';

/** Patterns that may be slow, each with the bound of the texts that reach it. */
const allowed: Readonly<Record<string, string>> = {};

test('what backtracks is found, and what does not is not', () => {
  const slow = [
    String.raw`^(?:a+)+$`,
    String.raw`^(a|aa)+$`,
    String.raw`^X:[ \t]*(.*?)[ \t]*$`,
    String.raw`=[ \t]*(.*)$`,
    String.raw`^A=[ \t]*(.*)$`,
    String.raw`_+$`,
    String.raw`^\s*([^=\s]+)\s*=\s*(.*?)\s*$`,
    String.raw`\$+\{`,
    String.raw`^\d+\.?\d+$`,
    String.raw`\s*\n\s*`,
    String.raw`<.*>.*x`,
    String.raw`^[^a-z]+|[^a-z]+$`,
    String.raw`^ExecStart=.*\sserve\s(?:.*\s)?--data`,
  ];
  const quick = [
    String.raw`^[a-z]+$`,
    String.raw`^A=[ \t]*([^]*)$`,
    String.raw`(?<!\$)\$+\{`,
    String.raw`"(?:[^"\\]|\\.)*`,
    String.raw`^(["']?)([A-Za-z_]\w*)\1=`,
    String.raw`[^\n]+`,
  ];
  assert.deepEqual(
    slow.filter((source) => findAttack(source, '') === null),
    [],
  );
  assert.deepEqual(
    quick.filter((source) => findAttack(source, '') !== null),
    [],
  );
});

test('literals are told from divisions, comments, texts and templates', () => {
  const code =
    'a / b / c; // /x/\n"/y/"; `/z/${ /1[/]/g.test(`${d / 2}`) } / `; return /2/u; f(/3\\//)';
  assert.deepEqual(
    literalsIn(code).map(({ source, flags }) => `/${source}/${flags}`),
    ['/1[/]/g', '/2/u', '/3\\//'],
  );
});

/** The patterns that a file puts together from parts when it is loaded. */
async function builtIn(file: string): Promise<string[]> {
  const built: string[] = [];
  const whole = globalThis.RegExp;
  const noted = function (source: RegExp | string, flags?: string): RegExp {
    const made = new whole(source, flags);
    built.push(`/${made.source}/${made.flags}`);
    return made;
  };
  Object.assign(globalThis, { RegExp: Object.assign(noted, { prototype: whole.prototype }) });
  try {
    await import(`${pathToFileURL(join(root, file)).href}?patterns`);
  } finally {
    Object.assign(globalThis, { RegExp: whole });
  }
  return built;
}

test('no pattern of the program takes more steps than its text is long', async () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root });
  const places = new Map<string, string[]>();
  for (const file of files) {
    const code = readFileSync(join(root, file), 'utf8');
    const script = file.endsWith('x') ? transformSync(code, { loader: 'tsx' }).code : code;
    const written = literalsIn(script).map(({ source, flags }) => `/${source}/${flags}`);
    const isBuilt = code.includes('new RegExp(') && file.endsWith('.ts');
    for (const pattern of [...written, ...(isBuilt ? await builtIn(file) : [])]) {
      places.set(pattern, [...(places.get(pattern) ?? []), file]);
    }
  }
  assert.ok(places.size > 300, `${places.size} patterns`);
  const slow = [...places].flatMap(([pattern, where]) => {
    const end = pattern.lastIndexOf('/');
    const attack = findAttack(pattern.slice(1, end), pattern.slice(end + 1));
    return attack === null ? [] : [{ pattern, where, attack }];
  });
  const unknown = slow.filter(({ pattern }) => allowed[pattern] === undefined);
  assert.deepEqual(
    unknown.map(({ pattern, where, attack: { text, steps } }) =>
      [where.join(' '), pattern, JSON.stringify(text), steps.join(' ')].join(' · '),
    ),
    [],
  );
  const names = slow.map(({ pattern }) => pattern);
  assert.deepEqual(Object.keys(allowed).toSorted(), names.toSorted());
});
