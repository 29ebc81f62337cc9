/** Monitors that definitions manage. */

import { checkPaid } from '../../../domain/accounts/account.ts';
import { checkMonitorLimits } from '../../../domain/accounts/plan-limits.ts';
import { plans } from '../../../domain/accounts/plan.ts';
import { changedFields } from '../../../domain/definition.ts';
import { monitorFields } from '../../../domain/monitors/fields.ts';
import { changeMonitor, definedMonitor } from '../../../domain/monitors/monitor-input.ts';
import type { MonitorInput, MonitorUpdate } from '../../../domain/monitors/monitor-input.ts';
import type { Monitor } from '../../../domain/monitors/monitor.ts';
import { findMonitor } from '../../../store/monitors/monitors.ts';
import { requireAccount } from '../../../app/accounts/account-limits.ts';
import {
  changeMonitorIn,
  deleteMonitorIn,
  keepNewMonitor,
  newMonitor,
} from '../../../app/monitors/monitors.ts';
import { neverBusy } from './managed.ts';
import type { ManagedKind, Scene } from './managed.ts';

/** Monitors: they keep their ping URL, and without a change of the schedule the next due time too. */
export const managedMonitors: ManagedKind<MonitorInput, Monitor, Monitor> = {
  table: 'monitors',
  noun: 'monitor',
  find: findMonitor,
  show: async (_, monitor) => monitor,
  async create(scene, input) {
    const { app, principal } = scene;
    const monitor = newMonitor(app, principal, input);
    await checkAllowed(scene, monitor, null);
    return {
      id: monitor.id,
      async perform(tx, note) {
        await keepNewMonitor(app, principal, tx, monitor, note);
        return monitor;
      },
    };
  },
  async compare(scene, before, input) {
    const { app, principal } = scene;
    const { paused, ...rest } = definedMonitor(input);
    const update: MonitorUpdate = { ...rest, action: paused ? 'pause' : 'resume' };
    const after = changeMonitor(before, update, app.clock.now());
    const fields = changedFields(monitorFields, before, after);
    if (fields.length > 0) await checkAllowed(scene, after, before);
    const isChanged = fields.length > 0;
    return {
      fields,
      hidden: [],
      perform: (tx, note) =>
        changeMonitorIn(app, principal, tx, before.id, isChanged ? update : {}, note),
    };
  },
  remove:
    ({ app }, monitor) =>
    (tx, note) =>
      deleteMonitorIn(app, tx, monitor, note),
  ...neverBusy,
};

async function checkAllowed(
  { app, principal, db, isDryRun }: Scene,
  after: Monitor,
  before: Monitor | null,
): Promise<void> {
  const account = await requireAccount(db, principal);
  if (!isDryRun) checkPaid(account, app.clock.now());
  checkMonitorLimits(plans[account.plan], after, before);
}
