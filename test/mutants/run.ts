/**
 * `npm run test:mutants`: makes each mistake of `mutants.ts` in a copy of the project, one at a time, and runs the tests that are
 * to notice it. Prints which test file noticed which mistake, and exits with 1 if one was not noticed. With words, only mutants
 * that have one of them in their file or their description. With `--sim SECONDS`, histories (docs/simulation.md) are to notice it
 * instead, in so many seconds. The project itself is not touched.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { mutants, mutated, root, type Mutant } from './mutants.ts';

/** Copies of the project, each with one mistake at a time. */
const lanes = 2;
/** A test file that takes longer has noticed: something hangs. */
const limitMs = 180_000;

const { values, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { sim: { type: 'string' } },
});
const histories = ['sim/run.ts', '--from', '1000', '--seconds', values.sim ?? ''];
const chosen = mutants.filter(
  ({ file, breaks }) =>
    words.length === 0 || words.some((word) => `${file} ${breaks}`.includes(word)),
);
if (chosen.length === 0) throw new Error(`no mutant has one of these words: ${words.join(' ')}`);
// A mutant that is out of date stops everything before it begins.
for (const mutant of mutants) mutated(mutant, sourceIn(root, mutant));

const place = mkdtempSync(join(tmpdir(), 'jobd-mutants-'));
const running = new Set<number>();
process.once('exit', () => {
  for (const pid of running) endGroup(pid);
  rmSync(place, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** Whether the project passes a test file as it is, by file: else the file shows nothing. */
const passing = new Map<string, Promise<boolean>>();
const counts = { noticed: 0, accepted: 0, SURVIVED: 0, unclear: 0 };
const queue = chosen.values();
await Promise.all(Array.from({ length: lanes }, (_, lane) => work(copyTo(join(place, `${lane}`)))));
print(
  Object.entries(counts)
    .map(([result, count]) => `${count} ${result}`)
    .join(', '),
);
process.exitCode = counts.SURVIVED + counts.unclear > 0 ? 1 : 0;

async function work(tree: string): Promise<void> {
  for (const mutant of queue) {
    const begun = performance.now();
    const { result, why } = await judge(tree, mutant);
    counts[result] += 1;
    const seconds = ((performance.now() - begun) / 1_000).toFixed(1).padStart(6);
    print(`${result.padEnd(8)} ${seconds} s  ${mutant.file}: ${mutant.breaks} (${why})`);
  }
}

/** What came of a mutant, and by what. */
interface Verdict {
  result: keyof typeof counts;
  why: string;
}

async function judge(tree: string, mutant: Mutant): Promise<Verdict> {
  const { file, accepted } = mutant;
  const tests = values.sim === undefined ? mutant.tests : [];
  for (const one of tests) {
    if (!passing.has(one)) passing.set(one, passes(tree, one));
    if (!(await passing.get(one)))
      return { result: 'unclear', why: `${one} fails without it, too` };
  }
  const source = sourceIn(tree, mutant);
  writeFileSync(join(tree, 'src', file), mutated(mutant, source));
  const noticing = await (values.sim === undefined ? firstFailing(tree, tests) : broken(tree));
  writeFileSync(join(tree, 'src', file), source);
  if (noticing !== undefined) return { result: 'noticed', why: noticing };
  return accepted === undefined
    ? { result: 'SURVIVED', why: tests.join(', ') }
    : { result: 'accepted', why: accepted };
}

async function firstFailing(tree: string, tests: readonly string[]): Promise<string | undefined> {
  for (const file of tests) if (!(await passes(tree, file))) return file;
  return undefined;
}

/** The history that breaks a rule, and which; undefined if none does. */
async function broken(tree: string): Promise<string | undefined> {
  const { code, out } = await run(tree, histories);
  return code === 0 ? undefined : (/^seed .*/m.exec(out)?.[0] ?? out.slice(-200));
}

async function passes(tree: string, file: string): Promise<boolean> {
  return (await run(tree, [file])).code === 0;
}

/** Runs a file of `test` on its own. What it leaves running ends with it. */
async function run(tree: string, [file = '', ...args]: string[]) {
  const env = {
    ...process.env,
    TMPDIR: join(tree, 'tmp'),
    NODE_COMPILE_CACHE: join(place, 'cache'),
  };
  const child = spawn(process.execPath, [join(tree, 'test', file), ...args], {
    cwd: tree,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { pid = 0 } = child;
  running.add(pid);
  const timer = setTimeout(() => endGroup(pid), limitMs);
  const [out, [code]] = await Promise.all([
    text(child.stdout),
    once(child, 'exit').finally(() => endGroup(pid)) as Promise<[number | null]>,
  ]);
  clearTimeout(timer);
  running.delete(pid);
  return { code, out };
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

/** What is changed or imported is copied, as modules are known by their real paths; the rest is linked. */
function copyTo(tree: string): string {
  mkdirSync(join(tree, 'tmp'), { recursive: true });
  for (const name of readdirSync(root)) {
    if (name === '.git') continue;
    const [from, to] = [join(root, name), join(tree, name)];
    if (name === 'src' || name === 'test') cpSync(from, to, { recursive: true });
    else symlinkSync(from, to);
  }
  return tree;
}

function sourceIn(tree: string, { file }: Mutant): string {
  return readFileSync(join(tree, 'src', file), 'utf8');
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
