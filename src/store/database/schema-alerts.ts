/** The tables of alerts as kysely sees them; `schema.ts` has the others. */

import type { Generated } from 'kysely';
import type { ChannelSettings } from '../../domain/alerts/channel.ts';
import type { AlertType, Subject } from '../../domain/alerts/alert.ts';
import type { DigestEvent } from '../../domain/alerts/digest.ts';
import type { HealthChange } from '../../domain/alerts/health-change.ts';
import type { ChannelType } from '../../domain/alerts/kinds/registry.ts';
import type { DeliveryStatus } from '../../domain/alerts/delivery.ts';
import type { ColumnsOf } from './columns.ts';

/** A health change that is still to become deliveries. */
export interface OutboxRow {
  id: string;
  type: HealthChange['type'];
  workspace_id: string;
  /** The job or the monitor. */
  subject_id: string;
  run_id: string | null;
  failures: number;
  /** JSON: what the alert says, if it is not read from job and run. */
  data: string | null;
  at: number;
  /** Counts the changes of a subject that wait together. */
  position: number;
}

/** With the columns of what people set (`domain/alerts/fields.ts`). */
export interface ChannelRow extends Omit<ColumnsOf<ChannelSettings>, 'also_on'> {
  id: string;
  workspace_id: string;
  /** The job whose results it delivers (a callback); null for a channel that people made. */
  callback_of: Generated<string | null>;
  /** Its key in definitions, unique in the workspace; null for a channel made by hand. */
  managed_key: Generated<string | null>;
  type: ChannelType;
  /** Its config: where it delivers to, with its secrets, sealed. */
  sealed: string;
  also_on: Generated<string>;
  created_at: number;
  /** When the next of its deliveries is to be tried; null if none is pending. */
  next_delivery_at: Generated<number | null>;
  /** Consecutive attempts that got no answer. */
  unanswered: Generated<number>;
  /** Nothing is tried before that. */
  backed_off_until: Generated<number | null>;
  /** Deliveries that were given up since the last one that arrived. */
  consecutive_failures: Generated<number>;
  /** A channel that is disabled begins a new queue: deliveries of lower numbers are dropped. */
  queue: Generated<number>;
  /** Why earlier queues ended; null if all of their deliveries are settled. */
  ended_because: Generated<string | null>;
  deleted_at: Generated<number | null>;
}

export interface DeliveryRow {
  id: string;
  channel_id: string;
  event: AlertType;
  /** Its line: that of the job or the monitor, or one of its own. */
  subject_id: string;
  /** The job or monitor that it is about, as it was named then; null if it is about none or about several. */
  about_type: Subject['type'] | null;
  about_id: string | null;
  about_name: string | null;
  /** The queue of its channel when it was made. */
  queue: number;
  /** Counts the deliveries of a line that are pending together. */
  position: Generated<number>;
  /** The alert as JSON, as a webhook gets it. */
  payload: string;
  status: DeliveryStatus;
  attempts: Generated<number>;
  /** Null if it is settled, or waits for an earlier one of the same subject. */
  next_attempt_at: number | null;
  last_attempt_at: Generated<number | null>;
  last_error: Generated<string | null>;
  created_at: number;
}

export interface DeliveryAttemptRow {
  delivery_id: string;
  /** From 1 on. */
  number: number;
  started_at: number;
  duration_ms: number;
  /** Null for mail, and where no answer came. */
  http_status: number | null;
  error: string | null;
}

/** What a channel was last notified of (domain/alerts/damping.ts). */
export interface AlertStateRow {
  subject_id: string;
  channel_id: string;
  health: 'up' | 'down';
  alerts: number;
  changed_at: number;
  quiet_until: number;
  /** JSON: the health change that is held back. */
  held: string | null;
  due_at: number | null;
}

/** What one channel is to hear of many runs or subjects at once (domain/alerts/digest.ts). */
export interface DigestRow {
  channel_id: string;
  event: DigestEvent;
  /** JSON: runs that are not reported yet. */
  gathered: string | null;
  /** When the pause after the last report ends. */
  quiet_until: Generated<number>;
  /** The last one, which may still wait to arrive. */
  delivery_id: string | null;
  due_at: number | null;
}
