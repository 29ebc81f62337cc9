/**
 * Replaces the executable by a newer one, with a way back at every step: what is not proven is not run, what does not work with a
 * copy of the data is not put in place, and what does not come up is taken back, the database too if its tables were changed.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { errorCodes, JobdError } from '../../domain/errors.ts';
import { findCopies } from '../../store/sqlite/before-upgrade.ts';
import { namesBeside, openWorkshop, putBackExecutable, putExecutable } from './executable.ts';
import type { Workshop } from './executable.ts';
import { runToEnd } from '../../base/programs.ts';
import { takeRelease, type ReleaseSource } from './release.ts';
import { comesBack, requireListener, servingProcess, type Supervisor } from './supervisor.ts';
import { isOlder } from './versions.ts';

export interface UpgradeParts {
  source: ReleaseSource;
  /** Whether an older version than the one of now is wanted. */
  mayBeOlder: boolean;
  executable: string;
  /** The data directory; null if the database is on a server, which jobd cannot copy. */
  dataDir: string | null;
  /** Null to leave the daemon alone. */
  supervisor: Supervisor | null;
  /** Where the daemon answers. */
  url: string;
  waitMs: number;
  /** Told of each step, in a sentence. */
  say: (sentence: string) => void;
}

export interface Upgraded {
  from: string;
  to: string;
  /** Whether the daemon was restarted and came up. */
  isServing: boolean;
  /** The copy of the database from before its tables were changed; null if they were not. */
  kept: string | null;
  previous: string;
}

const versionMs = 60_000;
/** A big database takes long to copy and to check. */
const selfTestMs = 60 * 60_000;

/** Makes it. Throws `JobdError`: then the executable and the database of before are in place. */
export async function upgrade(parts: UpgradeParts): Promise<Upgraded> {
  const { source, executable, dataDir, supervisor, url, say } = parts;
  using workshop = openWorkshop(executable);
  const { directory } = workshop;
  const from = await versionOf(executable);
  const fresh = await takeRelease(source, directory);
  const to = await versionOf(fresh);
  say(`jobd ${to} is what its checksum says`);
  if (isOlder(to, from) && !parts.mayBeOlder) throw isOlderError(to, from);
  const before = dataDir === null ? null : servingProcess(dataDir);
  if (supervisor !== null && (before !== null || dataDir === null)) await requireListener(url);
  if (dataDir !== null) say(await selfTest(fresh, to, dataDir));
  const copiesBefore = new Set(copiesIn(dataDir));
  putExecutable(executable, fresh, directory);
  const { previous } = namesBeside(executable);
  say(`${executable} is jobd ${to} now, jobd ${from} is kept as ${previous}`);
  const made = { from, to, previous };
  if (supervisor === null || !(await supervisor.isRunning())) {
    return { ...made, isServing: false, kept: null };
  }
  using _ = holdSignals(say);
  const trouble = await comesBack({ ...parts, before, supervisor });
  const kept = copiesIn(dataDir).find((path) => !copiesBefore.has(path)) ?? null;
  if (trouble === null) return { ...made, isServing: true, kept };
  say(`jobd ${to} did not come up: ${trouble}; going back to jobd ${from}`);
  throw await goBack({ ...parts, supervisor }, workshop, { from, to, trouble, kept });
}

/** A signature proves who made it, not that nothing newer was made since. */
function isOlderError(to: string, from: string): JobdError {
  const why = `jobd ${to} is older than jobd ${from}, which is here: it may lack repairs of security`;
  return new JobdError('conflict', `${why}; nothing was changed`, {
    notes: ['if you want to go back to it, add --allow-older'],
  });
}

/** What `goBack` says. */
interface Failure {
  from: string;
  to: string;
  trouble: string;
  kept: string | null;
}

/** Goes back to the previous executable, and to the copy of the database if there is one. Returns the error that says so. */
async function goBack(
  parts: UpgradeParts & { supervisor: Supervisor },
  { directory }: Workshop,
  { from, to, trouble, kept }: Failure,
): Promise<JobdError> {
  const { executable, dataDir, supervisor } = parts;
  const { failed } = namesBeside(executable);
  // First: whatever is started from now on is the previous one, which refuses a newer database and changes nothing.
  putBackExecutable(executable, directory);
  const stopped = await supervisor.stop();
  const notes = [`the new executable is ${failed}`];
  if (!stopped.isOk) notes.push(`stopping it failed: ${stopped.said}`);
  if (kept !== null && dataDir !== null) notes.push(...(await restore(executable, dataDir, kept)));
  const before = dataDir === null ? null : servingProcess(dataDir);
  const again = await comesBack({ ...parts, before });
  const outcome =
    again === null ? `jobd ${from} runs again` : `jobd ${from} is back, but does not run: ${again}`;
  return new JobdError('unavailable', `jobd ${to} did not come up (${trouble}); ${outcome}`, {
    notes,
  });
}

/** What a restore answers (`Restored` of wings/backups/backups.ts). */
interface RestoreAnswer {
  kept: string | null;
  runsSince: number | null;
}

const restoreTries = 20;

/** Lets the previous jobd restore the copy, as the owner of the data. Returns sentences about it. */
async function restore(executable: string, dataDir: string, kept: string): Promise<string[]> {
  const words = ['restore', kept, '--unverified', '--yes', '--json'];
  let said = '';
  for (let tries = 0; tries < restoreTries; tries += 1) {
    const ended = await runToEnd([executable, ...words, '--data', dataDir], selfTestMs);
    if (ended.isOk) return restoredWords(JSON.parse(ended.stdout) as RestoreAnswer, kept);
    ({ said } = ended);
    // A supervisor may just have started it; it ends soon, since it refuses the newer database.
    if (ended.exitCode !== errorCodes.conflict.exitCode) break;
    await sleep(500);
  }
  return [
    `the database was changed by the new version and could not be put back: ${said}`,
    `put it back: jobd restore ${kept} --unverified --data ${dataDir}`,
  ];
}

function restoredWords({ kept: changed, runsSince }: RestoreAnswer, kept: string): string[] {
  const runs = runsSince === null ? 'what it recorded' : `the ${runsSince} runs that it recorded`;
  return [
    `the database is that of before the upgrade (${kept})`,
    runsSince === 0
      ? `the new version recorded no runs; the database that it changed is ${changed}`
      : `${runs}, and what people changed meanwhile, is only in ${changed}`,
  ];
}

async function versionOf(executable: string): Promise<string> {
  const { isOk, stdout, said } = await runToEnd([executable, '--version'], versionMs);
  if (isOk && /^\S{1,100}$/.test(stdout.trim())) return stdout.trim();
  throw new JobdError(
    'unavailable',
    `${executable} does not run here: ${said}; nothing was changed`,
  );
}

async function selfTest(fresh: string, version: string, dataDir: string): Promise<string> {
  const words = [fresh, 'self-test', '--data', dataDir];
  const { isOk, stdout, said } = await runToEnd(words, selfTestMs);
  if (isOk) return stdout.trim();
  throw new JobdError(
    'unavailable',
    `jobd ${version} does not work with a copy of the data: ${said}; nothing was changed`,
  );
}

function copiesIn(dataDir: string | null): string[] {
  return dataDir === null ? [] : findCopies(dataDir).map(({ path }) => path);
}

/** From here on, stopping half-way would leave the new executable unwatched. */
function holdSignals(say: (sentence: string) => void): Disposable {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const hold = (): void => say('wait: it either comes up, or the previous version is put back');
  for (const signal of signals) process.on(signal, hold);
  return {
    [Symbol.dispose]: () => {
      for (const signal of signals) process.off(signal, hold);
    },
  };
}
