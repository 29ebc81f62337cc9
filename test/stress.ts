/**
 * Looks for tests that fail by chance: runs files many times beside busy loops, also as an ordinary user, in other zones and
 * languages, with a strict umask and on other days, each time with another seed. It says what failed how often, and how to
 * repeat it.
 *
 *   npm run test:stress -- [--times 5] [--loops 3] [--late 700] [--late-answers 900] [--user nobody] [--at 2026-12-31T23:50:00Z] [FILE...]
 *
 * Without files, those of `npm test`. Another user needs root, and a checkout that this user may read; one that is a number has no
 * name and no home. `--at` sets the time at which each process of tests begins, but not that of the programs that it starts: it
 * is for files that start none. `--late` makes loops, calls, alerts and writes come late by up to as many milliseconds, which finds
 * in minutes what load shows once in a hundred runs; `--late-answers` does that to what pages in the browser ask for.
 */

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { failureText, runBatches } from './support/suite/lanes.ts';
import { batchesOf, root, suites } from './support/suite/suites.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    times: { type: 'string', default: '5' },
    loops: { type: 'string', default: '3' },
    lanes: { type: 'string', default: '2' },
    user: { type: 'string' },
    at: { type: 'string' },
    late: { type: 'string' },
    'late-answers': { type: 'string' },
  },
});
const print = (text: string): void => void process.stdout.write(`${text}\n`);
const files = positionals.map((file) => relative(root, file));
const batches = files.length > 0 ? batchesOf('stress', files) : suites.quick();

/** What is different each time; the first time nothing is. */
const zones = ['UTC', 'Pacific/Kiritimati', 'America/St_Johns', 'Europe/Paris', 'Pacific/Apia'];
const languages = ['C', 'de_DE.UTF-8', 'tr_TR.UTF-8'];
const usualMask = process.umask();

const changed = {
  ...(values.user !== undefined && { HOME: undefined }),
  ...(values.at !== undefined && { JOBD_TEST_NOW: values.at }),
  ...(values.late !== undefined && { JOBD_TEST_LATE: values.late }),
  ...(values['late-answers'] !== undefined && {
    JOBD_TEST_LATE_ANSWERS: values['late-answers'],
  }),
};
const preloaded = [
  ...(values.at === undefined ? [] : ['date-shift.ts']),
  ...(values.late === undefined ? [] : ['late.ts']),
];
const wrapper = values.user === undefined ? [] : asUser(values.user);
const loops = Array.from({ length: Number(values.loops) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
process.once('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const failed = new Map<string, number>();
for (let time = 0; time < Number(values.times); time++) {
  const seed = String(time === 0 ? 1 : (Date.now() + time) % 2 ** 31);
  const zone = zones[time % zones.length];
  const language = time === 0 ? process.env['LANG'] : languages[time % languages.length];
  const mask = time % 5 === 1 ? 0o077 : usualMask;
  process.umask(mask);
  const directory = mkdtempSync(join(tmpdir(), 'jobd-stress-'));
  chmodSync(directory, 0o1777); // as /tmp: root serves nothing below a directory that others can change
  print(
    `\nround ${time + 1} of ${values.times}: seed ${seed}, ${zone}, LANG=${language ?? ''}, umask ${octal(mask)}, ${values.loops} busy loops`,
  );
  const { passed, failures, skips } = await runBatches(batches, Number(values.lanes), {
    env: {
      ...process.env,
      ...changed,
      TZ: zone,
      LANG: language,
      LC_ALL: undefined,
      TMPDIR: directory,
      JOBD_TEST_SEED: seed,
    },
    wrapper,
    flags: preloaded.flatMap((file) => ['--import', join(root, 'test/support/suite', file)]),
    onEnd: (_, ended) => {
      const variables = `umask ${octal(mask)}; TZ=${zone} LANG=${language ?? ''} JOBD_TEST_SEED=${seed}`;
      for (const failure of ended.failures) print(failureText(failure, variables));
    },
  });
  rmSync(directory, { recursive: true, force: true });
  print(`${passed} passed, ${failures.length} failed, ${skips.length} skipped`);
  for (const { file, line, name } of failures) {
    const what = `${name} (${file}:${line})`;
    failed.set(what, (failed.get(what) ?? 0) + 1);
  }
}

if (failed.size === 0) print(`\nnothing failed in ${values.times} rounds`);
for (const [what, times] of failed) print(`✖ ${times} of ${values.times}: ${what}`);
process.exit(failed.size === 0 ? 0 : 1);

/** A wrapper command that runs another one as this user. */
function asUser(name: string): string[] {
  const found = spawnSync('id', ['-u', name], { encoding: 'utf8' });
  const id = /^\d+$/.test(name) ? name : found.stdout.trim();
  if (id === '') throw new Error(`there is no user ${name}`);
  return ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups'];
}

/** A mask as the shell takes it. */
function octal(mask: number): string {
  return mask.toString(8).padStart(3, '0');
}
