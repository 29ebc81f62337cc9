/**
 * How long commands of the packaged executable take from start to end, beside `node -e 0` of the same Node. The commands
 * take turns, so that other load on the machine affects all of them. docs/benchmarks.md explains the figures.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openStore } from '../src/store/open.ts';
import {
  builtFile,
  json,
  median,
  run,
  startOutput,
  table,
  temporaryDirectory,
  wholeNumber,
} from './bench.ts';
import type { OptionsOf } from './bench.ts';

const declared = {
  rounds: wholeNumber('starts of each command, in turn', [40, 1, 1_000]),
  executable: builtFile('the packaged jobd', 'jobd'),
  json,
};
type Options = OptionsOf<typeof declared>;

interface Started {
  name: string;
  words: string[];
  /** Wall-clock time of each start, in milliseconds. */
  timesMs: number[];
}

/** Starts that are not counted: they load the files into memory. */
const warmUps = 2;

async function main(options: Options): Promise<void> {
  const { rounds, executable } = options;
  const output = startOutput(options.json, { rounds });
  using directory = temporaryDirectory();
  // Commands on this machine make no database of their own.
  await (await openStore(directory.path))[Symbol.asyncDispose]();
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
  output.text(describe(all));
  output.document({ all });
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

/** Medians and minima, and both over those of the first command. */
function describe(all: readonly Started[]): string {
  const rows = all.map(({ name, timesMs }) => ({
    name,
    middle: median(timesMs),
    least: Math.min(...timesMs),
  }));
  const [bare] = rows;
  const cells = rows.map(({ name, middle, least }) => {
    const figures = [middle, middle / (bare?.middle ?? NaN), least, least / (bare?.least ?? NaN)];
    return [name].concat(figures.map((figure) => figure.toFixed(2)));
  });
  return table([['', 'median ms', 'ratio', 'least ms', 'ratio'], ...cells]);
}

await run('startup', 'how long commands take, beside node -e 0', declared, main);
