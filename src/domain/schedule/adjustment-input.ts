/** What people send to adjust when a job is due, and the rules for it. */

import { isoTime, msPerDay } from '../clock.ts';
import { invalidInput } from '../errors.ts';
import { checkFields } from '../fields.ts';
import { adjustmentsIn, type AdjustmentFields, type Adjustments } from './adjustments.ts';
import { adjustmentFields } from './fields.ts';
import { readMoment } from './local-moments.ts';
import { canonicalZone } from './zone.ts';

/** What is adjusted, and the text that is kept until then; without a job there is no offset yet. */
interface AdjustedJob {
  id: string | null;
  scheduleType: string;
  periodSeconds: number | null;
  timezone: string;
  adjustments: string | null;
}

/**
 * Reads these fields at `now`: times become UTC, and equal fields get equal texts. Throws `invalid_input`, naming the field that
 * breaks a rule of its own or does not fit the schedule.
 */
export function readAdjustments(
  { spreadSeconds, ...given }: AdjustmentFields,
  adjusted: AdjustedJob,
  now: number,
): AdjustmentFields & Pick<AdjustedJob, 'adjustments'> {
  checkFields(adjustmentFields, { spreadSeconds, ...given });
  const { id, scheduleType, periodSeconds, timezone } = adjusted;
  if (scheduleType === 'period' && (spreadSeconds ?? 0) > (periodSeconds ?? Infinity)) {
    const most = `at most periodSeconds, ${periodSeconds}`;
    throw invalidInput(`spreadSeconds must be ${most}, got ${spreadSeconds}`);
  }
  const read = (field: 'notBefore' | 'notAfter' | 'runAt'): string | null => {
    const text = given[field];
    return text === null ? null : isoTime(readMoment(field, text, timezone));
  };
  const fields = {
    spreadSeconds,
    notBefore: read('notBefore'),
    notAfter: read('notAfter'),
    runAt: read('runAt'),
  };
  const before = adjustmentsIn(adjusted.adjustments);
  checkTimes(fields, before, now);
  const offsetSeconds = offsetOf(fields, before, { id, now });
  const set = Object.entries({ ...fields, offsetSeconds }).filter(([, value]) => value !== null);
  const adjustments = set.length === 0 ? null : JSON.stringify(Object.fromEntries(set));
  return { ...fields, adjustments };
}

/** A one-time job may be due this long ago, as clocks differ: it is then due at once. */
const latestRunAtMs = 60_000;
const furthestRunAtMs = 5 * 366 * msPerDay;

/** What is as it was before may have passed. */
function checkTimes(
  { notBefore, notAfter, runAt }: AdjustmentFields,
  before: Adjustments,
  now: number,
): void {
  if (notAfter !== null && notAfter !== before.notAfter && Date.parse(notAfter) <= now) {
    throw invalidInput(`notAfter must be after now, got ${notAfter}`);
  }
  if (notBefore !== null && notAfter !== null && notAfter <= notBefore) {
    throw invalidInput(`notAfter must be after notBefore, ${notBefore}, got ${notAfter}`);
  }
  if (runAt === null || runAt === before.runAt) return;
  if (Date.parse(runAt) < now - latestRunAtMs) {
    throw invalidInput(`runAt must not be in the past, got ${runAt}`);
  }
  if (Date.parse(runAt) > now + furthestRunAtMs) {
    throw invalidInput(`runAt must be at most 5 years ahead, got ${runAt}`);
  }
}

/** Whether a new job with these fields would never be due, since its `runAt` or its `notAfter` has passed. Throws `invalid_input`. */
export function isPast(
  { runAt = null, notAfter = null, timezone }: Partial<AdjustmentFields> & { timezone: string },
  now: number,
): boolean {
  const zone = canonicalZone(timezone);
  if (runAt !== null) return readMoment('runAt', runAt, zone) < now - latestRunAtMs;
  return notAfter !== null && readMoment('notAfter', notAfter, zone) <= now;
}

/** By how many seconds due times are later: by what is kept, while that is set which it is kept for. */
function offsetOf(
  { spreadSeconds, runAt }: AdjustmentFields,
  before: Adjustments,
  { id, now }: { id: string | null; now: number },
): number | null {
  const { offsetSeconds: kept = null } = before;
  if (runAt !== null) {
    if (runAt === before.runAt) return kept;
    // Due times of a schedule come after the moment at which it begins.
    const lateMs = now + 1 - Date.parse(runAt);
    return lateMs > 0 ? lateMs / 1000 : null;
  }
  if (spreadSeconds === null || id === null) return null;
  const isSame = spreadSeconds === before.spreadSeconds && !before.runAt;
  return (isSame ? kept : null) ?? spreadOffset(id, spreadSeconds);
}

/** By how many seconds the due times of a job are later, from 0 to `spreadSeconds`: FNV-1a of its id, in 32 bits. */
export function spreadOffset(id: string, spreadSeconds: number): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < id.length; at += 1) {
    hash = Math.imul(hash ^ id.charCodeAt(at), 0x0100_0193);
  }
  return (hash >>> 0) % (spreadSeconds + 1);
}
