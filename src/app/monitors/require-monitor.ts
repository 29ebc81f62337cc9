/** A monitor that a principal may act on. */

import { JobdError } from '../../domain/errors.ts';
import { isId } from '../../domain/id.ts';
import type { Monitor } from '../../domain/monitors/monitor.ts';
import { findMonitor } from '../../store/monitors/monitors.ts';
import type { Db } from '../../store/database/open.ts';
import type { Principal } from '../app.ts';

/** The monitor, if it is there and the principal's own; else throws `not_found`. */
export async function requireMonitor(
  db: Db,
  { workspaceId }: Principal,
  id: string,
): Promise<Monitor> {
  const monitor = isId(id) ? await findMonitor(db, workspaceId, id) : undefined;
  if (monitor === undefined) throw new JobdError('not_found', `there is no monitor with id ${id}`);
  return monitor;
}
