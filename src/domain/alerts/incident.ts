/** An alert as services for people on call take it: an incident that begins and ends. */

import type { Alert } from './alert.ts';
import { isRecovery } from './health-change.ts';

export interface Incident {
  /** The same for each alert of a job or a monitor, so that a recovery ends what its failure began. */
  key: string;
  isOver: boolean;
}

/** The incident that an alert is about. */
export function incidentOf({ type, data }: Alert): Incident {
  const { job, monitor, channel } = data;
  const key = job
    ? `jobd/job/${job.id}`
    : monitor
      ? `jobd/monitor/${monitor.id}`
      : `jobd/channel/${channel?.id ?? ''}`;
  return { key, isOver: type !== 'test' && isRecovery({ type }) };
}

/** Whether somebody should be woken. */
export function isUrgent({ type }: Alert): boolean {
  return type !== 'test' && !isRecovery({ type });
}
