/** The checks of its own installation that a serving jobd makes, and `jobd doctor` too. To check more in both, add to the list. */

import { statSync } from 'node:fs';
import { isoTime, msPerDay, type Clock } from '../../domain/clock.ts';
import { inTwoUnits } from '../../domain/durations.ts';
import { messageOf } from '../../domain/errors.ts';
import { found, ok, type Finding } from '../../domain/findings.ts';
import { isWhole, type LedgerCheck } from '../../domain/runs/ledger-check.ts';
import { zoneDataText, isZoneDataOld } from '../../domain/schedule/zone-data.ts';
import { sizeText } from '../../domain/sizes.ts';
import type { Db } from '../../store/database/store.ts';
import { findLastLedgerCheck } from '../../store/runs/ledger-checks.ts';
import { readBackupRecord } from '../../store/sqlite/backup-record.ts';
import type { BackupRecord, MadeBackup } from '../../store/sqlite/backup-record.ts';
import { examineNodes } from './nodes.ts';

export interface Installation {
  db: Db;
  clock: Clock;
  /** Null if the database is on a server. */
  dataDir: string | null;
}

/** Returns that all is well, or everything that is not; nothing where it does not apply. */
export type Check = (installation: Installation) => Promise<Finding[]> | Finding[];

/** All of them by name, in the order in which they are shown. They read little. */
export const checks: Readonly<Record<string, Check>> = {
  nodes: checkNodes,
  'time zones': checkZoneData,
  ledger: checkLastLedger,
  backups: checkBackups,
};

async function checkNodes({ db, clock, dataDir }: Installation): Promise<Finding[]> {
  if (dataDir !== null) return [];
  const { nodes, findings } = await examineNodes(db, clock.now());
  if (findings.length > 0) return findings;
  const live = nodes.filter(({ endedAt, role }) => endedAt === null && role !== 'silent').length;
  return [ok(live === 1 ? '1 node serves' : `${live} nodes serve, and agree`)];
}

/** Each process that serves looks at the same files. */
function checkZoneData({ clock }: Installation): Finding[] {
  const data = zoneDataText();
  return [isZoneDataOld(clock.now()) ? found('time-zones-old', { data }) : ok(`data of ${data}`)];
}

/** It is checked once a day, and a check may take a while. */
const ledgerCheckedWithinMs = 2 * msPerDay;

async function checkLastLedger({ db, clock }: Installation): Promise<Finding[]> {
  const last = await findLastLedgerCheck(db);
  if (last === undefined)
    return [ok('not checked yet: jobd serve does it a minute after its start')];
  const { unaccounted, unexpected, example } = last;
  const [since, checkedAt] = [isoTime(last.after), isoTime(last.checkedAt)];
  if (!isWhole(last)) {
    const count = unaccounted + unexpected;
    const facts = { count, unaccounted, unexpected, since, checkedAt };
    return [found('ledger-incomplete', facts, example === null ? [] : [example])];
  }
  if (clock.now() - last.checkedAt > ledgerCheckedWithinMs) {
    return [found('ledger-unchecked', { checkedAt })];
  }
  const age = inTwoUnits((clock.now() - last.checkedAt) / 1_000, { minute: 'min' });
  return [ok(`${accountedText(last)}; of ${since} to ${checkedAt}, ${age} ago`)];
}

function accountedText({ called, missed, explained }: LedgerCheck): string {
  const all = called + missed + explained;
  if (all === 0) return 'no due time to account for';
  const held =
    explained === 0 ? '' : `, ${explained} of schedules that were paused, changed or held`;
  return `every due time is accounted for: ${called} called, ${missed} missed${held}`;
}

/** Whether there is a backup that is not too old. */
export function checkBackups({ dataDir, clock }: Omit<Installation, 'db'>): Finding[] {
  if (dataDir === null) return [];
  const record = readBackupRecord(dataDir);
  if (record === null) {
    return [ok('jobd serve makes none (--backup-to): be sure that something else does')];
  }
  const { plan, last, failure } = record;
  const since = failure && isoTime(failure.since);
  const notes = failure === null ? [`they are made in ${plan.directory}`] : [failure.error];
  if (last === null) {
    return [
      since === null ? found('backup-missing', {}, notes) : found('backup-none', { since }, notes),
    ];
  }
  const failing = since === null ? [] : [found('backup-fails', { since }, notes)];
  const made = madeText(record, last);
  const loss = lossOf(last);
  if (loss !== null) return [found('backup-lost', {}, [loss]), ...failing];
  // Half as long again allows for a backup that takes long, and for a restart.
  if (clock.now() - last.at > plan.everyMs * 1.5 + 3_600_000) {
    return [found('backup-old', { at: isoTime(last.at) }, [made]), ...failing];
  }
  return failing.length > 0 ? failing : [ok(made)];
}

function madeText({ plan }: BackupRecord, { at, path, bytes }: MadeBackup): string {
  const every = inTwoUnits(plan.everyMs / 1_000, { minute: 'min' });
  const how = plan.recipients.length === 0 ? 'not encrypted' : 'encrypted';
  return `every ${every}, ${how}; the last is of ${isoTime(at)}: ${path}, ${sizeText(bytes)}`;
}

/** Why the newest backup is of no use, or null. */
function lossOf({ path, bytes }: MadeBackup): string | null {
  try {
    const { size } = statSync(path);
    if (size === bytes) return null;
    return `${path} is not as long as it was made, ${size} instead of ${bytes} bytes`;
  } catch (error) {
    return `${path} cannot be read: ${messageOf(error)}`;
  }
}
