/** The sheets of the pages share one space of class names: each class leads the rules of one sheet only. */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const folder = join(import.meta.dirname, '..', '..', 'src', 'dashboard', 'style');

/** The parts of a selector between marks that are not in brackets: `,` for a list, spaces and `>` for what one is made of. */
function parts(selector: string, mark: RegExp): string[] {
  let depth = 0;
  const found = [''];
  for (const letter of selector) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0;
    if (depth === 0 && mark.test(letter)) found.push('');
    else found.push(`${found.pop()}${letter}`);
  }
  return found.map((part) => part.trim()).filter(Boolean);
}

/** The classes with which a selector list begins: of `:is(.a b, .c.d) e` they are a and c. `:where` yields to all others. */
function leaders(list: string): string[] {
  return parts(list, /,/).flatMap((selector) => {
    const [first = ''] = parts(selector, /[\s>+~]/);
    const [, choices] = /^:is\((.*)\)/s.exec(first) ?? [];
    if (choices !== undefined) return leaders(choices);
    return /^[^:]*?\.([\w-]+)/.exec(first)?.slice(1) ?? [];
  });
}

test('a class leads the rules of one sheet only, so that pages cannot style each other by chance', () => {
  const sheetsOf = new Map<string, Set<string>>();
  for (const sheet of readdirSync(folder)) {
    const css = readFileSync(join(folder, sheet), 'utf8').replaceAll(/\/\*.*?\*\//gs, '');
    for (const [list] of css.matchAll(/[^{};]+(?=\{)/g)) {
      if (list.trim().startsWith('@')) continue;
      for (const name of leaders(list)) {
        sheetsOf.set(name, (sheetsOf.get(name) ?? new Set()).add(sheet));
      }
    }
  }
  assert.ok(sheetsOf.size > 100, `only ${sheetsOf.size} classes were found`);
  const shared = [...sheetsOf].filter(([, sheets]) => sheets.size > 1);
  assert.deepEqual(
    shared.map(([name, sheets]) => `.${name}: ${[...sheets].join(', ')}`),
    [],
    'begin the rules of one of them with another class, as in `.timetable .row`',
  );
});
