/** A packaged jobd in an environment that can be made to fail, with its target and its clients. */

import { copyFileSync, existsSync, mkdirSync, cpSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { audit, readBooks, type Books, type RunBooks } from '../../support/checks/audit.ts';
import { temporaryDirectory } from '../../support/directory.ts';
import { startServe, type Process, type Surroundings } from '../../support/running/executable.ts';
import type { Namespace } from '../../support/running/namespace.ts';
import { prepareStore, type Preparation } from '../../support/running/prepare.ts';
import { makeDueIn, tryMakeDue } from '../../support/running/due.ts';
import { until } from '../../support/until.ts';
import { startWitness, type Witness } from '../../support/fakes/witness.ts';
import { askingWith, type Asking } from './asking.ts';

/** When jobs are due, by their names: in milliseconds from now. */
export type DueIn = Readonly<Record<string, number>>;

export interface Service extends Asking {
  witness: Witness;
  /** The path of the data directory for the daemon, and for this process. */
  dataDir: string;
  outside: string;
  /** Ids of the jobs, by name. */
  jobs: Record<string, string>;
  /** Makes jobs due. They are due again after their period: an hour, unless the test says otherwise. */
  readonly dueIn: (dueIn: DueIn) => Promise<void>;
  /** Freezes a process and makes jobs due now. Resolves with the function that lets the process go on, which then sees that. */
  readonly freezeWithDue: (daemon: Process, ...names: string[]) => Promise<() => void>;
  /** Starts `jobd serve` and resolves once it listens. */
  readonly start: () => Promise<Process>;
  /** Starts `jobd serve`, which may fail. */
  readonly tryStart: (by?: Omit<Surroundings, 'cwd' | 'wrapper'>) => Process;
  /** The newest run of a job, over the API. */
  readonly newestRun: (
    name: string,
  ) => Promise<{ status: string; responseBody: string | null } | undefined>;
  /** Waits until the newest run of a job is in this state. */
  readonly untilRun: (name: string, status: RunBooks['status']) => Promise<unknown>;
  /** The content of the store, and all errors in it. Not while a daemon writes in a namespace. */
  readonly books: () => Books;
  readonly audit: () => string[];
}

/** API keys: each may send 120 requests a minute. */
const keyCount = 4;
const hourSeconds = 3_600;

/** Prepares a store with jobs in a directory (of a namespace if given) and a target that answers `ok`. No job is due yet. */
export async function prepareService(
  t: TestContext,
  names: readonly string[],
  options: {
    namespace?: { mounted: Namespace; directory: string };
    /** The wrapper command of the executable outside a namespace; it must not fork. */
    wrapper?: readonly string[];
    answer?: Parameters<typeof startWitness>[1];
    /** Stores more before it starts. */
    prepare?: (preparation: Preparation) => Promise<unknown>;
    /** An hour by default. */
    periodSeconds?: number;
    /** More options of `jobd serve`. */
    args?: readonly string[];
  } = {},
): Promise<Service> {
  const witness = await startWitness(t, options.answer);
  const directory = temporaryDirectory(t);
  const prepared = join(directory, 'data');
  const jobs: Record<string, string> = {};
  const keys = await prepareStore(prepared, async (preparation) => {
    const { addJob, addKeys } = preparation;
    await options.prepare?.(preparation);
    const { periodSeconds = hourSeconds } = options;
    for (const name of names) {
      const every = { scheduleType: 'period', periodSeconds } as const;
      const input = { name, url: `${witness.url}/${name}`, ...every };
      jobs[name] = (await addJob(input, Date.now())).id;
    }
    return await addKeys(keyCount);
  });
  const { mounted, directory: inside } = options.namespace ?? {};
  const dataDir = inside === undefined ? prepared : join(inside, 'data');
  const outside = mounted?.outside(dataDir) ?? dataDir;
  if (outside !== prepared) cpSync(prepared, outside, { recursive: true });

  const port = new URL(witness.url).port;
  const target = ['--allow-target', `127.0.0.1/32:${port}`];
  const args = ['--data', dataDir, ...target, ...(options.args ?? [])];
  const surroundings = { cwd: directory, wrapper: mounted?.enter ?? options.wrapper ?? [] };
  let url = '';
  const tryStart: Service['tryStart'] = (by) => {
    const daemon = startServe(t, args, { ...surroundings, ...by });
    daemon.listening.then(
      (address) => (url = address),
      () => {},
    );
    return daemon;
  };
  const { ask, askSite } = askingWith(keys, () => url);
  const newestRun: Service['newestRun'] = async (name) =>
    (await ask('GET', `/jobs/${jobs[name]}/runs`)).body.runs[0];
  const idsOf = (dueIn: DueIn) =>
    Object.entries(dueIn).map(([name, ms]) => [jobs[name] ?? '', ms] as const);
  const books = () => readBooks(mounted === undefined ? dataDir : copied(t, outside));
  return {
    witness,
    dataDir,
    outside,
    jobs,
    dueIn: (dueIn) => makeDueIn(dataDir, idsOf(dueIn), mounted?.enter),
    async freezeWithDue({ pid }, ...due) {
      const dueNow = Object.fromEntries(due.map((name) => [name, 0]));
      await until('a process that is frozen while it writes nothing', async () => {
        process.kill(pid, 'SIGSTOP');
        if (await tryMakeDue(dataDir, idsOf(dueNow), mounted?.enter)) return true;
        process.kill(pid, 'SIGCONT');
        return false;
      });
      return () => void process.kill(pid, 'SIGCONT');
    },
    async start() {
      const daemon = tryStart();
      await daemon.listening;
      return daemon;
    },
    tryStart,
    ask,
    askSite,
    newestRun,
    untilRun: (name, status) =>
      until(
        `a run of ${name} that is ${status}`,
        async () => (await newestRun(name))?.status === status,
      ),
    books,
    audit: () => audit(books(), witness.arrivals),
  };
}

/** SQLite resolves every link, so it cannot open a file by its path from outside. */
function copied(t: TestContext, from: string): string {
  const to = join(temporaryDirectory(t), 'data');
  mkdirSync(to);
  for (const name of ['jobd.db', 'jobd.db-wal']) {
    if (existsSync(join(from, name))) copyFileSync(join(from, name), join(to, name));
  }
  return to;
}
