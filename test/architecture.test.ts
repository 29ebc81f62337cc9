/** Holds the code to docs/architecture.md: who imports whom, which package is used where. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root }).toSorted();
const page = read('docs/architecture.md');

interface Import {
  /** Path from the root, or the name of a package. */
  target: string;
  isPackage: boolean;
  isType: boolean;
}

const importPattern =
  /^(?:import|export)\s+(type\s)?(?:[^;'"]*?from\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

function importsOf(file: string): Import[] {
  return read(file)
    .matchAll(importPattern)
    .map(([, type, from, lazyFrom]) => {
      const name = from ?? lazyFrom ?? '';
      const isPackage = !name.startsWith('.');
      return {
        target: isPackage ? name : relative(root, join(root, dirname(file), name)),
        isPackage,
        isType: type !== undefined,
      };
    })
    .toArray();
}

/** `src/domain/jobs/job.ts` belongs to `domain`, `src/version.ts` to `version`, `src/wings/ledger/sum.ts` to `wings/ledger`. */
function partOf(file: string): string {
  const [, part = '', wing = ''] = file.split('/');
  return part === 'wings' ? `${part}/${wing}` : part.replace(/\.ts$/, '');
}

function isWing(part: string): boolean {
  return part.startsWith('wings/');
}

/** The rows of the table with this first column: a name, and the names in the second cell. */
function table(firstColumn: string): Map<string, string[]> {
  const lines = page.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const head = lines.findIndex(([, cell]) => cell === firstColumn);
  const end = lines.findIndex((cells, index) => index > head && cells.length === 1);
  return new Map(
    lines
      .slice(head + 2, end)
      .map(([, name = '', cell = '']) => [namesIn(name)[0] ?? '', namesIn(cell)]),
  );
}

/**
 * `@scope/name/part` belongs to the package `@scope/name`; modules of Node are listed by
 * themselves.
 */
function packageOf(target: string): string {
  if (target.startsWith('node:')) return target;
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/');
}

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1] ?? '');
}

test('imports between parts match the import table, and every row of it is used', () => {
  const allowed = table('part');
  const house = sources.filter((file) => !isWing(partOf(file)));
  assert.deepEqual([...new Set(house.map(partOf))].toSorted(), [...allowed.keys()].toSorted());
  const used = new Set<string>();
  for (const file of house) {
    const part = partOf(file);
    for (const { target, isPackage, isType } of importsOf(file)) {
      if (isPackage || !target.startsWith('src/') || partOf(target) === part) continue;
      const narrow = target.replace(/^src\/|\.ts$/g, '');
      const names = allowed.get(part) ?? [];
      // `api/*/contract` stands for one file in every folder of a part.
      const ofAnySubject = narrow.replace(/^(\w+)\/[\w-]+\//, '$1/*/');
      const entry = [narrow, ofAnySubject, partOf(target), narrow.split('/')[0] ?? ''].find(
        (name) => names.includes(name),
      );
      assert.ok(entry, `${file} imports ${target}: not in the import table`);
      if (entry.startsWith('api/')) assert.ok(isType, `${file} may import only types of ${target}`);
      used.add(`${part} → ${entry}`);
    }
  }
  for (const [part, names] of allowed) {
    for (const name of names) {
      assert.ok(used.has(`${part} → ${name}`), `${part} does not import ${name} any more`);
    }
  }
});

test('the house names wings where it puts itself together, and wings import the house', () => {
  const allowed = table('wing');
  assert.deepEqual([...new Set(sources.map(partOf))].filter(isWing).toSorted(), [
    ...allowed.keys(),
  ]);
  const named = new Set<string>();
  for (const file of sources) {
    const part = partOf(file);
    for (const { target, isPackage, isType } of importsOf(file)) {
      const to = partOf(target);
      if (isPackage || to === part) continue;
      if (!isWing(part)) {
        // The pages in the browser are a wing too.
        if (isWing(to) && !(part === 'dashboard' && isType)) named.add(file);
      } else if (isWing(to))
        assert.ok(allowed.get(part)?.includes(to), `${file} imports ${target}`);
      else assert.ok(!['dashboard', 'main'].includes(to), `${file} imports ${target}`);
    }
  }
  assert.deepEqual([...named], ['src/serve/local-wings.ts', 'src/serve/wings.ts']);
});

/** Tests of the house that take a wing as their oracle, and the helpers of tests of wings. */
const usingWings = new Set([
  'test/architecture.test.ts',
  'test/client-bundle.test.ts',
  'test/cost-of-values.test.ts',
  'test/cost.test.ts',
  'test/dashboard/view/curl.test.ts',
  'test/dashboard/view/job-form.test.ts',
  'test/dashboard/view/timetable.test.ts',
  'test/engine/runs/make-up.test.ts',
]);

test('tests of the house need no wing', () => {
  const found = globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => !file.startsWith('test/wings/') && /'[./]+\/src\/wings\//.test(read(file)))
    .filter((file) => !usingWings.has(file));
  assert.deepEqual(found, []);
});

test('the house and each wing are no larger than planned, and each wing has a page', (t) => {
  const rows = [...page.matchAll(/^\| `(house|dashboard|wings\/\w+)`.*\| ([\d,]+) +\|$/gm)];
  assert.equal(rows.length, table('wing').size + 2);
  for (const [, name = '', most = ''] of rows) {
    const files = sources.filter((file) => {
      const part = partOf(file);
      return name === 'house' ? !isWing(part) && part !== 'dashboard' : part === name;
    });
    const lines = files.reduce((sum, file) => sum + read(file).split('\n').length - 1, 0);
    t.diagnostic(`${name}: ${lines} lines`);
    assert.ok(lines <= Number(most.replace(',', '')), `${name} has ${lines} lines`);
    if (!isWing(name)) continue;
    assert.ok(read(`src/${name}/README.md`).split('\n').length <= 20, `src/${name}/README.md`);
  }
});

test('the page of a wing names what is to be touched when the wing goes', () => {
  const tests = globSync('{test,bench}/**/*.ts', { cwd: root }).map((file) => [file, read(file)]);
  for (const wing of table('wing').keys()) {
    const name = new RegExp(`\\b${wing}\\b`);
    const importing = sources.filter((file) =>
      importsOf(file).some(({ target }) => partOf(target) === wing),
    );
    const naming = tests.flatMap(([file = '', text = '']) => (name.test(text) ? [file] : []));
    const named = [wing, ...namesIn(read(`src/${wing}/README.md`))];
    const places = named.flatMap((place) => [place, `src/${place}`, `test/${place}`]);
    const unnamed = [...importing, ...naming].filter(
      (file) => !places.some((place) => file.startsWith(place)),
    );
    const besides = unnamed.filter((file) => file !== 'test/architecture.test.ts');
    assert.deepEqual(besides, [], `src/${wing}/README.md`);
  }
});

test('the picture shows which layer has which subject, and all wings', () => {
  const [, picture = ''] = /```text\n(.*?)```/s.exec(page) ?? [];
  const [head = [], ...rows] = picture.split('\n').map((line) => line.trim().split(/\s+/));
  const subjects = head.slice(0, -1);
  const layers = rows.flatMap((row) => {
    const at = row.findIndex((word) => /^[●·]$/.test(word));
    return at === -1 ? [] : [{ layer: row[at - 1], marks: row.slice(at, at + subjects.length) }];
  });
  assert.equal(layers.length, 7);
  for (const { layer, marks } of layers) {
    const folder = layer === 'dashboard' ? 'dashboard/pages' : layer;
    const isThere = subjects.map((subject) => existsSync(join(root, `src/${folder}/${subject}`)));
    assert.deepEqual(
      marks,
      isThere.map((is) => (is ? '●' : '·')),
      layer,
    );
  }
  const [, wings = ''] = /^ wings: (.*?):/m.exec(picture) ?? [];
  const names = wings.split(', ').map((name) => `wings/${name}`);
  assert.deepEqual(names.toSorted(), [...table('wing').keys()].toSorted());
});

/** `src/domain/jobs/job.ts` is in `domain/jobs`; a file directly in its layer, or of a wing, is in none. */
function folderOf(file: string): string | null {
  if (isWing(partOf(file))) return null;
  const [, layer, subject, ...rest] = file.split('/');
  return rest.length > 0 ? `${layer}/${subject}` : null;
}

test('folders of a layer import each other only as listed in the folder table', () => {
  const [, shared = ''] = /Every folder may import (.*?) of its layer/s.exec(page) ?? [];
  const base = new Set(namesIn(shared));
  assert.ok(base.size > 0);
  const found = new Map<string, Set<string>>();
  for (const file of sources) {
    const from = folderOf(file);
    if (from === null) continue;
    for (const { target, isPackage } of importsOf(file)) {
      const to = isPackage ? null : folderOf(target);
      if (to === null || to === from || base.has(to) || partOf(target) !== partOf(file)) continue;
      found.set(from, (found.get(from) ?? new Set()).add(to));
    }
  }
  const rows = [...found].map(([from, to]) => [from, [...to].toSorted()]);
  const written = table('folder')
    .entries()
    .map(([from, to]) => [from, to.toSorted()]);
  assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(written));
});

test('no folder is there for one file', () => {
  const alone = globSync('src/**/', { cwd: root }).filter(
    (folder) => readdirSync(join(root, folder)).length === 1,
  );
  assert.deepEqual(alone, []);
});

test('packages are used only as listed in the package table', () => {
  const fences = table('package');
  const dependencies = Object.keys(JSON.parse(read('package.json')).dependencies);
  for (const name of dependencies) assert.ok(fences.has(name), `${name} is in no row of the table`);
  const met = new Set<string>();
  for (const file of sources) {
    for (const { target, isPackage, isType } of importsOf(file)) {
      if (!isPackage) continue;
      const homes = fences.get(packageOf(target));
      if (homes === undefined) {
        assert.match(target, /^node:/, `${file} imports ${target}, which is in no row`);
        continue;
      }
      met.add(packageOf(target));
      const isHome = homes.some(
        (home) => file === `src/${home}.ts` || file.startsWith(`src/${home}/`),
      );
      assert.ok(isHome || (isType && target.startsWith('node:')), `${file} imports ${target}`);
    }
  }
  for (const name of dependencies) assert.ok(met.has(name), `${name} is imported nowhere`);
});

test('there are no import cycles', () => {
  const state = new Map<string, 'entered' | 'done'>();
  const visit = (file: string, path: string[]): void => {
    if (state.get(file) === 'done') return;
    assert.notEqual(state.get(file), 'entered', `a circle: ${[...path, file].join(' → ')}`);
    state.set(file, 'entered');
    for (const { target, isPackage } of importsOf(file)) {
      if (!isPackage && target.startsWith('src/')) visit(target, [...path, file]);
    }
    state.set(file, 'done');
  };
  for (const file of sources) visit(file, []);
});

test('only settings/config.ts reads the environment, only main.ts, signals and the receipt script exit', () => {
  const entries = new Set(['src/main.ts', 'src/signals.ts', 'src/receipt/script.ts']);
  for (const file of sources) {
    const text = read(file);
    if (file !== 'src/settings/config.ts') assert.doesNotMatch(text, /process\.env\b/, file);
    if (!entries.has(file)) assert.doesNotMatch(text, /process\.exit(Code)?\b/, file);
  }
});

test('commands get the data directory only through the function that drops root privileges', () => {
  const named = sources.filter((file) => {
    const isCommand = file.startsWith('src/cli/') || isWing(partOf(file));
    return isCommand && /\b(?:dataDir|namedDataDir)\((?!\{\}\))/.test(read(file));
  });
  // Two of them only read where another process has its data.
  const readers = ['src/cli/operator/running.ts', 'src/cli/operator/service.ts'];
  assert.deepEqual(named, ['src/cli/operator/local.ts', ...readers]);
  assert.match(read('src/serve/command.ts'), /actAsOwner\(given\.dataDir\)/);
});

test('the domain has no clock, no randomness and no I/O', () => {
  const homes = new Map([
    ['src/domain/clock.ts', /Date\.now|performance\.now/g],
    ['src/domain/id.ts', /randomUUID/g],
  ]);
  for (const file of sources.filter((source) => partOf(source) === 'domain')) {
    const text = read(file).replaceAll(homes.get(file) ?? /$^/g, '');
    assert.doesNotMatch(
      text,
      /Date\.now|performance\.now|Math\.random|randomUUID|getRandomValues/,
      file,
    );
    for (const { target } of importsOf(file)) assert.doesNotMatch(target, /^node:/, file);
  }
});

test('no file is over 400 lines', () => {
  for (const file of globSync('{src,test,bench}/**/*.{ts,tsx}', { cwd: root })) {
    const lines = read(file).split('\n').length - 1;
    assert.ok(lines <= 400, `${file} has ${lines} lines`);
  }
});

test('every exported function has a doc comment', () => {
  for (const file of sources) {
    const text = read(file);
    for (const match of text.matchAll(/^export (?:async )?function\*? (\w+)/gm)) {
      const before = text.slice(0, match.index).trimEnd();
      assert.ok(before.endsWith('*/'), `${file}: ${match[1]} has no doc comment`);
    }
  }
});

test('the state diagram shows exactly the transitions of the code', async () => {
  const { firstRunStatuses, runTransitions } = await import('../src/domain/runs/run.ts');
  const [, diagram = ''] = /```mermaid\nstateDiagram-v2\n(.*?)```/s.exec(page) ?? [];
  const drawn = [...diagram.matchAll(/^ +(\S+) --> (\w+)/gm)].map(
    ([, from, to]) => `${from} ${to}`,
  );
  const written = [
    ...firstRunStatuses.map((status) => `[*] ${status}`),
    ...Object.entries(runTransitions).flatMap(([from, next]) => next.map((to) => `${from} ${to}`)),
  ];
  assert.deepEqual(drawn.toSorted(), written.toSorted());
});
