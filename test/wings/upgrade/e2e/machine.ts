/** A machine of one test: an installed jobd with jobs under load, and a supervisor that starts again what ends. */

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { audit, readBooks, type Books } from '../../../support/checks/audit.ts';
import { temporaryDirectory } from '../../../support/directory.ts';
import { startWitness, type Witness } from '../../../support/fakes/witness.ts';
import { ownPort } from '../../../support/own-port.ts';
import { makeDueIn } from '../../../support/running/due.ts';
import { executable } from '../../../support/running/executable.ts';
import { makeNamespace, type Namespace } from '../../../support/running/namespace.ts';
import { prepareStore } from '../../../support/running/prepare.ts';
import { runProgram, type Ran } from '../../../support/running/program.ts';
import { until } from '../../../support/until.ts';

export interface Machine {
  witness: Witness;
  /** The installed executable. */
  jobd: string;
  dataDir: string;
  /** Writes a file beside it that is offered as the next version. Returns its path. */
  readonly offer: (program: string) => string;
  /** Runs `jobd upgrade`. */
  readonly upgrade: (from: string, ...options: string[]) => Promise<Ran>;
  readonly isReady: () => Promise<boolean>;
  readonly pid: () => string;
  /** The names of the files in the data directory. */
  readonly dataFiles: () => string[];
  /** What it has logged. */
  readonly log: () => string;
  /** Ids of all runs now. */
  readonly runIds: () => Promise<string[]>;
  /** Stops it, and compares what is stored, also in databases that were kept, with what the target saw. */
  readonly settle: () => Promise<{ books: Books; wrong: string[] }>;
}

const jobCount = 200;
const periodSeconds = 60;

/** The supervisor: `run.sh start` and `run.sh stop`. It gives up after many starts. A signal may come before the line after `&`. */
const supervisor = (serve: string): string => `#!/bin/sh
cd "$(dirname "$0")"
loop() {
  trap 'kill $! 2>/dev/null; wait $!; exit 0' TERM
  for start in $(seq 60); do ${serve} >>serve.log 2>&1 & wait $!; sleep 0.2; done
}
stop() {
  pid=$(cat loop.pid 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null; while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done; rm -f loop.pid
}
case $1 in
  start) "$0" loop </dev/null >/dev/null 2>&1 & echo $! >loop.pid ;;
  stop) stop ;;
  restart) stop; "$0" start ;;
  loop) loop ;;
esac
`;

/** Installs it and starts it. With `diskMb`, its data is on a disk of that size. */
export async function installMachine(t: TestContext, diskMb?: number): Promise<Machine> {
  const witness = await startWitness(t);
  const directory = fs.mkdtempSync(join(tmpdir(), 'jobd-test-'));
  const [prepared, dataDir] = [join(directory, 'prepared'), join(directory, 'data')];
  fs.mkdirSync(dataDir, { mode: 0o700 });
  const due: [id: string, ms: number][] = [];
  const key = await prepareStore(prepared, async ({ addJob, addKey }) => {
    for (let index = 0; index < jobCount; index += 1) {
      const name = `job-${index}`;
      const every = { scheduleType: 'period', periodSeconds } as const;
      const { id } = await addJob({ name, url: `${witness.url}/${name}`, ...every }, Date.now());
      // One after the other, four times a second.
      due.push([id, index * 250]);
    }
    return await addKey();
  });
  const mounted: Namespace | undefined =
    diskMb === undefined
      ? undefined
      : await makeNamespace(t, `mount -t tmpfs -o size=${diskMb}m,mode=700 tmpfs ${dataDir}`);
  const outside = mounted?.outside(dataDir) ?? dataDir;
  fs.cpSync(prepared, outside, { recursive: true });

  const jobd = join(directory, 'jobd');
  fs.copyFileSync(executable, jobd, fs.constants.COPYFILE_FICLONE);
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}`;
  const serve = `${jobd} serve --data ${dataDir} --port ${port} --allow-target 127.0.0.1/32:*`;
  const control = join(directory, 'run.sh');
  fs.writeFileSync(control, supervisor(serve), { mode: 0o755 });
  const env = { HOME: directory, PATH: '/usr/sbin:/usr/bin:/sbin:/bin', JOBD_API_KEY: key };
  const run = (...words: string[]): Promise<Ran> =>
    runProgram([...(mounted?.enter ?? []), ...words], { env, timeoutMs: 180_000, cwd: directory });
  const isReady = async (): Promise<boolean> =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  t.after(async () => {
    await run(control, 'stop');
    fs.rmSync(directory, { recursive: true, force: true });
  });
  await run(control, 'start');
  await until('jobd is ready', isReady);
  await makeDueIn(dataDir, due, mounted?.enter);

  const databases = (): string[] =>
    fs.readdirSync(outside).filter((name) => /^jobd(-before-.*)?\.db$/.test(name));
  return {
    witness,
    jobd,
    dataDir,
    isReady,
    offer(program) {
      const path = join(directory, 'next');
      fs.rmSync(path, { force: true });
      fs.writeFileSync(path, program, { mode: 0o755 });
      const sum = createHash('sha256').update(program).digest('hex');
      fs.writeFileSync(join(directory, 'SHA256SUMS'), `${sum}  next\n`);
      return path;
    },
    upgrade(from, ...options) {
      const place = ['--data', dataDir];
      const restart = ['--restart-command', `${control} restart`];
      const stop = ['--stop-command', `${control} stop`];
      return run(jobd, 'upgrade', '--from', from, ...place, ...restart, ...stop, ...options);
    },
    pid: () => fs.readFileSync(join(outside, 'serve.pid'), 'utf8').trim(),
    dataFiles: () => fs.readdirSync(outside),
    log: () => fs.readFileSync(join(directory, 'serve.log'), 'utf8'),
    async runIds() {
      return copied(t, outside, 'jobd.db').runs.map(({ id }) => id);
    },
    async settle() {
      await run(control, 'stop');
      const books = copied(t, outside, 'jobd.db');
      return {
        books,
        wrong: auditAll(
          books,
          databases().map((name) => copied(t, outside, name)),
          witness,
        ),
      };
    },
  };
}

/** SQLite cannot open a file by its path from outside of a namespace. */
function copied(t: TestContext, from: string, name: string): Books {
  const to = temporaryDirectory(t);
  for (const part of ['', '-wal']) {
    const file = join(from, name + part);
    if (fs.existsSync(file)) fs.copyFileSync(file, join(to, `jobd.db${part}`));
  }
  return readBooks(to);
}

/** What a version that was taken back has called is in the database that was kept; totals count the present runs alone. */
function auditAll(books: Books, kept: readonly Books[], { arrivals }: Witness): string[] {
  const known = new Set(books.runs.map(({ id }) => id));
  const runs = [...books.runs];
  for (const run of kept.flatMap((other) => other.runs)) {
    if (known.has(run.id) || run.status === 'running') continue;
    known.add(run.id);
    runs.push(run);
  }
  return [
    ...audit(books, []).filter((line) => !/never sent$|is accounted for 0 times$/.test(line)),
    ...audit({ ...books, runs }, arrivals).filter((line) => !line.includes('its total says')),
  ];
}
