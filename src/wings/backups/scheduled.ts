/**
 * The backups that a daemon makes by itself. Each is `jobd backup`, a process of its own: copying a database takes seconds or
 * minutes, in which calls and requests go on. When the next one is due follows from the newest one that is there.
 */

import { findBackups, type BackupInDirectory } from './backup-directory.ts';
import { readBackupRecord, writeBackupRecord } from '../../store/sqlite/backup-record.ts';
import type { BackupRecord, MadeBackup } from '../../store/sqlite/backup-record.ts';
import { encryptFor } from './age.ts';
import { runOwnCommand } from './own-command.ts';
import { nextBackupAt, type BackupPlan } from '../../domain/backups.ts';
import { isoTime } from '../../domain/clock.ts';
import { ifPossible, messageOf } from '../../domain/errors.ts';
import { startLoop } from '../../engine/loop.ts';
import type { Starting } from '../../serve/house.ts';
import type { BackupGauges } from '../../metrics/metrics.ts';

export interface ScheduledParts extends Pick<Starting, 'instanceId' | 'clock' | 'log'> {
  plan: BackupPlan;
  dataDir: string;
  /** Runs a command of this program, and returns what it prints. */
  run?: typeof runOwnCommand;
}

/** Disposing of it ends a backup under way. */
export interface ScheduledBackups extends AsyncDisposable {
  readonly gauges: () => BackupGauges;
}

/** A daemon that ends again and again makes none: it would only make that worse. */
const firstAfterMs = 60_000;
/** After a failure, or the usual time if that is shorter. */
const againAfterMs = 15 * 60_000;
/** Longer than any copy takes: what it writes to hangs. */
const longestMs = 6 * 3_600_000;

/** Starts to make them. Throws `invalid_input` if a recipient is not one. */
export function startScheduledBackups(parts: ScheduledParts): ScheduledBackups {
  const { plan, dataDir, instanceId, clock, log, run = runOwnCommand } = parts;
  const { directory, everyMs, keep, recipients } = plan;
  encryptFor(recipients);
  const stopper = new AbortController();
  let last = newest();
  let failure = known()?.failure ?? null;
  let tookMs: number | null = null;
  let nextAt = Math.max(
    nextBackupAt(last?.at ?? null, everyMs, clock.now()),
    clock.now() + Math.min(firstAfterMs, everyMs),
  );
  keepRecord({ plan, last, failure });

  function keepRecord(record: BackupRecord): void {
    try {
      writeBackupRecord(dataDir, record);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'what jobd doctor says of backups is out of date');
    }
  }

  function known(): BackupRecord | null {
    const record = ifPossible(() => readBackupRecord(dataDir));
    return record?.plan.directory === directory ? record : null;
  }

  /** A directory that cannot be read has none: the next backup fails then, and says why. */
  function newest(): MadeBackup | null {
    const found = ifPossible(() => findBackups(directory, instanceId).at(-1));
    return found === undefined ? null : { at: found.at, path: found.path, bytes: found.bytes };
  }

  async function backUp(): Promise<void> {
    const to = ['--to', directory, '--keep', keep, '--data', dataDir];
    const forWhom = recipients.flatMap((recipient) => ['--recipient', recipient]);
    const args = ['backup', ...to, ...forWhom, '--allow-empty', '--json'];
    const began = clock.monotonicMs();
    const signal = AbortSignal.any([stopper.signal, AbortSignal.timeout(longestMs)]);
    const made = JSON.parse(await run(args, signal)) as BackupInDirectory;
    tookMs = clock.monotonicMs() - began;
    const { path, bytes, removed, unprovenBecause } = made;
    last = newest() ?? { at: clock.now(), path, bytes };
    log.info({ path, bytes, tookMs: Math.round(tookMs), removed }, 'backup made');
    if (unprovenBecause !== null) {
      log.warn({ error: unprovenBecause }, 'nothing proves that the backup is unchanged');
    }
  }

  async function step(): Promise<number> {
    // The clock may have been set back since.
    nextAt = Math.min(nextAt, clock.now() + everyMs);
    if (clock.now() < nextAt) return nextAt - clock.now();
    try {
      await backUp();
      failure = null;
      nextAt = nextBackupAt(last?.at ?? null, everyMs, clock.now());
    } catch (error) {
      if (stopper.signal.aborted) return 0;
      nextAt = clock.now() + Math.min(againAfterMs, everyMs);
      const words = messageOf(error);
      failure = { since: failure?.since ?? clock.now(), error: words };
      log.error({ error: words, directory, againAt: isoTime(nextAt) }, 'backup failed');
    }
    keepRecord({ plan, last, failure });
    return 0;
  }

  const loop = startLoop('backup', step, { log, clock });
  return {
    gauges: () => ({
      lastAt: last?.at ?? null,
      lastBytes: last?.bytes ?? null,
      tookMs,
      everyMs,
      isFailing: failure !== null,
    }),
    async [Symbol.asyncDispose]() {
      stopper.abort();
      await loop[Symbol.asyncDispose]();
    },
  };
}
