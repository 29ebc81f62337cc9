import { requireAccount } from '../../../app/accounts/account-limits.ts';
import {
  changeMonitorIn,
  deleteMonitorIn,
  keepNewMonitor,
  newMonitor,
} from '../../../app/monitors/monitors.ts';
import { checkPaid } from '../../../domain/accounts/account.ts';
import { checkMonitorLimits } from '../../../domain/accounts/plan-limits.ts';
import { plans } from '../../../domain/accounts/plan.ts';
import { changedFields } from '../../../domain/definition.ts';
import { valuesIn } from '../../../domain/fields.ts';
import { monitorFields } from '../../../domain/monitors/fields.ts';
import { changeMonitor, definedMonitor } from '../../../domain/monitors/monitor-input.ts';
import type { MonitorInput, MonitorUpdate } from '../../../domain/monitors/monitor-input.ts';
import { monitorDefaults, type Monitor } from '../../../domain/monitors/monitor.ts';
import { defaultSchedule } from '../../../domain/schedule/schedule.ts';
import { findMonitor } from '../../../store/monitors/monitors.ts';
import { managed, type Scene } from './managed.ts';

/** Monitors: they keep their ping URL, and without a change of the schedule the next due time too. */
export const managedMonitors = managed<MonitorInput, Monitor>({
  table: 'monitors',
  noun: 'monitor',
  find: findMonitor,
  fieldsOf: async (_, monitor) => valuesIn(monitorFields, monitor),
  defaults: () => ({ ...monitorDefaults, ...defaultSchedule }),
  together: { schedule: ['scheduleType', 'cronExpr', 'timezone', 'periodSeconds'] },
  async create(scene, input) {
    const { app, principal } = scene;
    const monitor = newMonitor(app, principal, input);
    await checkAllowed(scene, monitor, null);
    return {
      id: monitor.id,
      perform: (tx, note) => keepNewMonitor(app, principal, tx, monitor, note),
    };
  },
  async compare(scene, before, input) {
    const { app, principal } = scene;
    const { paused, ...rest } = definedMonitor(input);
    const update: MonitorUpdate = { ...rest, action: paused ? 'pause' : 'resume' };
    const after = changeMonitor(before, update, app.clock.now());
    const fields = changedFields(monitorFields, before, after);
    if (fields.length > 0) await checkAllowed(scene, after, before);
    return {
      fields,
      hidden: [],
      async perform(tx, note) {
        await changeMonitorIn(app, principal, tx, before.id, update, note);
      },
    };
  },
  remove:
    ({ app }, monitor) =>
    (tx, note) =>
      deleteMonitorIn(app, tx, monitor, note),
});

async function checkAllowed(
  { app, principal, db, isDryRun }: Scene,
  after: Monitor,
  before: Monitor | null,
): Promise<void> {
  const account = await requireAccount(db, principal);
  if (!isDryRun) checkPaid(account, app.clock.now());
  checkMonitorLimits(plans[account.plan], after, before);
}
