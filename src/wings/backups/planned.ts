/** The backups that a daemon plans. What makes them is loaded if there are any. */

import { writeBackupRecord } from '../../store/sqlite/backup-record.ts';
import type { Starting } from '../../serve/house.ts';

/** Makes those that the settings plan. */
export async function backUpAsPlanned({ config, meter, use, ...parts }: Starting): Promise<void> {
  const { dataDir, backups: plan, database } = config;
  if (plan !== null) {
    const { startScheduledBackups } = await import('./scheduled.ts');
    meter.addBackups(use(startScheduledBackups({ ...parts, plan, dataDir })).gauges);
  } else if (database === null) writeBackupRecord(dataDir, null);
}
