/**
 * How long commands of the packaged executable take from their start to their end, beside `node -e 0` of the
 * same Node. They are started in turn, so that what else the machine does falls on all. docs/benchmarks.md says
 * what the figures mean.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { temporaryDirectory } from './directory.ts';
import { run } from './run.ts';
import { parseOptions, usage } from './startup-options.ts';
import type { Options } from './startup-options.ts';
import { median } from './statistics.ts';
import { describeSurroundings, machine } from './surroundings.ts';

interface Started {
  name: string;
  words: string[];
  /** Wall-clock time of each start, in milliseconds. */
  timesMs: number[];
}

/** Starts that are not counted: they bring what is read from the disk into memory. */
const warmUps = 2;

async function main(options: Options): Promise<void> {
  const { rounds, executable } = options;
  using directory = temporaryDirectory();
  await using server = await startApi();
  const env = {
    JOBD_URL: server.url,
    JOBD_API_KEY: `cp_${'0'.repeat(64)}`,
    JOBD_DATA: directory.path,
  };
  const all: Started[] = commandsOf(executable);
  for (let round = -warmUps; round < rounds; round += 1) {
    for (const { words, timesMs } of all) {
      const took = await time(words, env);
      if (round >= 0) timesMs.push(took);
    }
  }
  const on = { ...machine(), rounds };
  process.stdout.write(
    options.json ? `${JSON.stringify({ on, all })}\n` : describeSurroundings(on) + table(all),
  );
}

function commandsOf(executable: string): Started[] {
  const rows = [
    ['node -e 0', [process.execPath, '-e', '0']],
    ['jobd --version', [executable, '--version']],
    ['jobd --help', [executable, '--help']],
    ['jobd jobs list', [executable, 'jobs', 'list']],
    ['jobd schedule preview', [executable, 'schedule', 'preview', '@daily']],
    ['jobd key list', [executable, 'key', 'list']],
  ] as const;
  return rows.map(([name, words]) => ({ name, words: [...words], timesMs: [] }));
}

/** An API without jobs. */
async function startApi(): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((_, response) => response.end('{"jobs":[],"nextCursor":null}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

async function time([file = '', ...args]: string[], env: Record<string, string>): Promise<number> {
  const begun = performance.now();
  const child = spawn(file, args, { env, stdio: 'ignore' });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`${args.join(' ')} ended with ${exitCode}`);
  return performance.now() - begun;
}

/** Medians and minima, and both over those of the first. */
function table(all: readonly Started[]): string {
  const rows = all.map(({ name, timesMs }) => ({
    name,
    middle: median(timesMs),
    least: Math.min(...timesMs),
  }));
  const [bare] = rows;
  const lines = rows.map(({ name, middle, least }) => {
    const figures = [middle, middle / (bare?.middle ?? NaN), least, least / (bare?.least ?? NaN)];
    return name.padEnd(24) + figures.map((figure) => figure.toFixed(2).padStart(10)).join('');
  });
  const head = ['median ms', 'ratio', 'least ms', 'ratio'];
  return `${' '.repeat(24)}${head.map((title) => title.padStart(10)).join('')}\n${lines.join('\n')}\n`;
}

await run({ name: 'startup', usage, parseOptions, main });
