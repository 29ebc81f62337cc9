/** Runs batches of test files, a few processes at a time, and gathers what happens. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Heard } from './reporter.ts';
import { root, type Batch } from './suites.ts';

/** A process whose tests neither begin nor end for this long hangs. */
const silenceMs = 10 * 60_000;

/** What a test left, or a process that ended before its tests did. */
export interface Failure {
  part: string;
  file: string;
  line: number;
  name: string;
  text: string;
}

/** A failure for people, and how to repeat it with these variables. */
export function failureText({ file, line, name, text }: Failure, variables: string): string {
  const repeat = `repeat: ${variables} npx node test/run.ts ${file}`;
  return `✖ ${name} (${file}:${line})\n${`${text}\n${repeat}`.replace(/^/gm, '  ')}`;
}

export interface Skip {
  file: string;
  name: string;
  why: string;
}

export interface Outcome {
  passed: number;
  failures: Failure[];
  skips: Skip[];
  /** Seconds of the tests of each file. */
  seconds: Map<string, number>;
}

/** How each process is started. */
export interface Surroundings {
  env: Record<string, string | undefined>;
  /** A wrapper command. */
  wrapper?: readonly string[];
  /** More flags of Node. */
  flags?: readonly string[];
  /** Called when a batch has ended. */
  onEnd: (batch: Batch, outcome: Outcome, ms: number) => void;
}

/** Runs all batches in their order, `lanes` at a time. */
export async function runBatches(
  batches: readonly Batch[],
  lanes: number,
  surroundings: Surroundings,
): Promise<Outcome> {
  const all = emptyOutcome();
  const waiting = batches.values();
  const lane = async (): Promise<void> => {
    for (const batch of waiting) {
      const start = performance.now();
      const outcome = await runBatch(batch, surroundings);
      all.passed += outcome.passed;
      all.failures.push(...outcome.failures);
      all.skips.push(...outcome.skips);
      for (const [file, seconds] of outcome.seconds) {
        all.seconds.set(file, (all.seconds.get(file) ?? 0) + seconds);
      }
      surroundings.onEnd(batch, outcome, performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return all;
}

function emptyOutcome(): Outcome {
  return { passed: 0, failures: [], skips: [], seconds: new Map() };
}

const inSuite = (name: string): string => join(root, 'test/support/suite', name);

async function runBatch({ part, files, env }: Batch, given: Surroundings): Promise<Outcome> {
  const outcome = emptyOutcome();
  const flags = [...(given.flags ?? []), `--test-reporter=${inSuite('reporter.ts')}`];
  const command = [process.execPath, ...flags, inSuite('files.ts'), ...files];
  const [program = '', ...args] = [...(given.wrapper ?? []), ...command];
  const child = spawn(program, args, {
    cwd: root,
    env: { ...given.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4_000);
    });
  }
  let last = { file: files[0] ?? '', name: '' };
  const hang = (): void => {
    printed += `\nNothing began or ended for ${silenceMs / 60_000} minutes.`;
    child.kill('SIGKILL');
  };
  let timer = setTimeout(hang, silenceMs);
  child.on('message', (message) => {
    const heard = message as Heard;
    clearTimeout(timer);
    timer = setTimeout(hang, silenceMs);
    if (heard.kind === 'began') last = heard;
    if (heard.kind === 'ended') take(outcome, heard, part);
  });
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  clearTimeout(timer);
  // Some fault is in no test: an import that failed, an error after the last test, a process that was killed.
  if (code !== 0 && outcome.failures.length === 0) {
    const text = `the process ended with ${signal ?? code}, its last words:\n${printed.trim()}`;
    outcome.failures.push({ part, ...last, line: 0, text });
  }
  return outcome;
}

function take(outcome: Outcome, ended: Heard & { kind: 'ended' }, part: string): void {
  const { file, name, line, ms, isTop, isSuite, skipped, failure } = ended;
  if (isTop) outcome.seconds.set(file, (outcome.seconds.get(file) ?? 0) + ms / 1_000);
  if (failure !== null) outcome.failures.push({ part, file, line, name, text: failure });
  else if (skipped !== null) outcome.skips.push({ file, name, why: skipped });
  else if (!isSuite) outcome.passed++;
}
