import { randomUUID } from 'node:crypto';
import { monitorHealthChanges } from '../../domain/alerts/monitor-changes.ts';
import { changedFields } from '../../domain/definition.ts';
import { JobdError } from '../../domain/errors.ts';
import { isId, newId } from '../../domain/id.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { changeMonitor, defineMonitor } from '../../domain/monitors/monitor-input.ts';
import type { MonitorInput, MonitorUpdate } from '../../domain/monitors/monitor-input.ts';
import { monitorChange, type Monitor } from '../../domain/monitors/monitor.ts';
import type { Repeatable } from '../../domain/repeatable.ts';
import type { Ping } from '../../domain/monitors/ping.ts';
import { checkMonitorLimits } from '../../domain/accounts/plan-limits.ts';
import { updateOf } from '../../domain/accounts/audit.ts';
import { plans } from '../../domain/accounts/plan.ts';
import { insertHealthChanges } from '../../store/alerts/outbox.ts';
import * as monitors from '../../store/monitors/monitors.ts';
import type { Db } from '../../store/database/store.ts';
import { findMonitorStop } from '../../store/overview/monitors.ts';
import * as pings from '../../store/monitors/pings.ts';
import { requirePaid, requireRoom } from '../accounts/account-limits.ts';
import type { ChangesApp, Principal } from '../app.ts';
import { changeBy, type NoteChange } from '../change.ts';
import { makeOnce } from '../make-once.ts';
import { idCursor, labelledPage, pageOf, parseNumberCursor } from '../page.ts';
import type { LabelledRequest, Page, PageRequest } from '../page.ts';

/**
 * Makes a monitor, once for each key of a repeatable request. Its ping id has 122 random bits: whoever knows it may ping. Throws
 * `invalid_input`, `payment_required`, `conflict` for another request with the same key, and `forbidden` if the plan does not allow it.
 */
export async function createMonitor(
  parts: ChangesApp,
  principal: Principal,
  input: MonitorInput,
  repeatable: Repeatable | null = null,
): Promise<Monitor> {
  const monitor = newMonitor(parts, principal, input);
  return await makeOnce(parts, principal, {
    id: monitor.id,
    repeatable,
    async make(tx, note) {
      await keepNewMonitor(parts, principal, tx, monitor, note);
      return monitor;
    },
    find: (tx, id) => requireMonitor(tx, principal, id),
  });
}

/** A new monitor, not kept yet. Throws `invalid_input`. */
export function newMonitor(
  { clock }: Pick<ChangesApp, 'clock'>,
  { workspaceId }: Principal,
  input: MonitorInput,
): Monitor {
  const now = clock.now();
  return defineMonitor(input, { id: newId(now), workspaceId, pingId: randomUUID(), now });
}

/** Keeps a new monitor. Throws `payment_required`, and `forbidden` if the plan does not allow it. */
export async function keepNewMonitor(
  { clock }: Pick<ChangesApp, 'clock'>,
  principal: Principal,
  tx: Db,
  monitor: Monitor,
  note: NoteChange,
): Promise<void> {
  const account = await requirePaid(tx, principal, clock.now());
  checkMonitorLimits(plans[account.plan], monitor, null);
  await requireRoom(tx, account);
  await monitors.insertMonitor(tx, monitor);
  note({ action: 'monitor.create', subject: monitor });
}

/** A page of the workspace's monitors, newest first. */
export async function listMonitors(
  { store: { db } }: ChangesApp,
  { workspaceId }: Principal,
  request: LabelledRequest,
): Promise<Page<Monitor>> {
  return await labelledPage(
    'monitors',
    request,
    async (page) =>
      (await monitors.listMonitors(db, workspaceId, page)).map(({ monitor }) => monitor),
    (span) => findMonitorStop(db, workspaceId, span),
  );
}

async function requireMonitor(db: Db, { workspaceId }: Principal, id: string): Promise<Monitor> {
  const monitor = isId(id) ? await monitors.findMonitor(db, workspaceId, id) : undefined;
  if (monitor === undefined) throw new JobdError('not_found', `there is no monitor with id ${id}`);
  return monitor;
}

/** A monitor of the workspace. Throws `not_found`. */
export async function getMonitor(
  { store }: ChangesApp,
  principal: Principal,
  id: string,
): Promise<Monitor> {
  return await requireMonitor(store.db, principal, id);
}

/** Changes, pauses or resumes a monitor. Throws `not_found`, `invalid_input`, `payment_required`, and `forbidden` for its interval. */
export async function updateMonitor(
  parts: ChangesApp,
  principal: Principal,
  id: string,
  update: MonitorUpdate,
): Promise<Monitor> {
  return await changeBy(parts, principal, (tx, note) =>
    changeMonitorIn(parts, principal, tx, id, update, note),
  );
}

/** The same inside a transaction. */
export async function changeMonitorIn(
  { clock }: Pick<ChangesApp, 'clock'>,
  principal: Principal,
  tx: Db,
  id: string,
  update: MonitorUpdate,
  note: NoteChange,
): Promise<Monitor> {
  const monitor = await requireMonitor(tx, principal, id);
  const now = clock.now();
  const { plan } = await requirePaid(tx, principal, now);
  const changed = changeMonitor(monitor, update, now);
  checkMonitorLimits(plans[plan], changed, monitor);
  await monitors.updateMonitor(tx, changed);
  const resumed = monitorChange(monitor, changed);
  await insertHealthChanges(tx, monitorHealthChanges(resumed ? [resumed] : []));
  note(updateOf('monitor', changed, changedFields(monitorFields, monitor, changed)));
  return changed;
}

/** Deletes a monitor with its pings: at once for people and tasks, its rows later in small steps. Throws `not_found`. */
export async function deleteMonitor(
  parts: ChangesApp,
  principal: Principal,
  id: string,
): Promise<void> {
  await changeBy(parts, principal, async (tx, note) => {
    const monitor = await requireMonitor(tx, principal, id);
    await deleteMonitorIn(parts, tx, monitor, note);
  });
}

/** The same inside a transaction. */
export async function deleteMonitorIn(
  { clock }: Pick<ChangesApp, 'clock'>,
  tx: Db,
  monitor: Monitor,
  note: NoteChange,
): Promise<void> {
  await monitors.markMonitorDeleted(tx, monitor.id, clock.now());
  note({ action: 'monitor.delete', subject: monitor });
}

/** A page of a monitor's pings, newest first. Throws `not_found`. */
export async function listPings(
  { store }: ChangesApp,
  principal: Principal,
  monitorId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<Ping>> {
  const monitor = await requireMonitor(store.db, principal, monitorId);
  const before = cursor === null ? null : parseNumberCursor(monitor.id, cursor);
  const found = await pings.listPings(store.db, monitor.id, { limit: limit + 1, before });
  return pageOf(found, limit, ({ number }) => idCursor(monitor.id, number));
}
