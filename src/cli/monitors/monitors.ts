/** `jobd monitors`: heartbeat monitors, over the API. */

import type { Command } from 'commander';
import type { Monitor, MonitorUpdate } from '../../api/monitors/contract.ts';
import type { Flags } from '../../settings/config.ts';
import { connect } from '../client/connect.ts';
import { requirePingUrl } from '../client/ping-url.ts';
import type { Context } from '../context.ts';
import { monitorStatuses, whyDown, type MonitorStatus } from '../../domain/monitors/status.ts';
import { labelsColumn } from '../labels.ts';
import { windowColumns, windowTimes } from '../mutes.ts';
import { listLimitOf, withListLimit } from '../options.ts';
import { monitorFields } from '../../domain/monitors/fields.ts';
import { givenFields, settingsOf, withFieldOptions, withOffOptions } from '../fields.ts';
import { createNamed, withNameOptions } from '../create-named.ts';
import { addResourceCommands, printItem, withName, type Resource } from '../resource.ts';
import {
  inMachineZone,
  newScheduleOf,
  scheduleFieldsFor,
  scheduleFieldsOf,
  scheduleText,
  withScheduleOptions,
  zonedUpdateOf,
} from '../schedule/schedule-options.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printFields, printJson, printRows, type Output } from '../terminal/output.ts';

const resource: Resource<Monitor, MonitorUpdate, MonitorStatus> = {
  noun: 'monitor',
  example: 'backup',
  of: (api) => api.monitors,
  columns: {
    name: ({ name }) => name,
    status: ({ status }) => state(status),
    schedule: scheduleText,
    'next due': ({ nextDueAt }) => moment(nextDueAt),
    'last ping': ({ lastPingAt }) => moment(lastPingAt),
    id: ({ id }) => idCell(id),
    ...labelsColumn,
    ...windowColumns,
  },
  optionalColumns: [...Object.keys(windowColumns), 'labels', 'last ping', 'id'],
  print: printMonitor,
  withOptions: (command) =>
    withOffOptions(withMonitorOptions(command, { isNew: false }), monitorFields),
  exampleOptions: ' --grace 2h',
  updateOf: fieldsOf,
  complete: zonedUpdateOf,
  actions: {
    pause: {
      description: 'expect no pings until it is resumed; pings are still recorded',
      update: { action: 'pause' },
    },
    resume: {
      description: 'expect the pings of a paused monitor again, from its next due time',
      update: { action: 'resume' },
    },
  },
  belongings: 'pings',
  statuses: monitorStatuses,
  async *all(api, { status, selector }) {
    for await (const monitor of api.monitors.list({ selector })) {
      if (status === null || monitor.status === status) yield monitor;
    }
  },
};

/** Adds the commands. */
export function addMonitorCommands(program: Command, context: Context): void {
  const monitors = program
    .command('monitors')
    .description('watch tasks that run elsewhere, by the pings they send');
  addCreateCommand(monitors, context);
  addResourceCommands(monitors, context, resource);
  addPingsCommand(monitors, context);
}

function addCreateCommand(monitors: Command, context: Context): void {
  withNameOptions(
    withMonitorOptions(monitors.command('create').description('create a monitor'), {
      isNew: true,
    }),
    'monitor',
  )
    .option('--paused', 'create it paused')
    .addHelpText(
      'after',
      `
Examples:
  jobd monitors create --name backup --cron '30 2 * * *' --tz UTC --grace 1h
  jobd monitors create --name worker --every 5m --grace 2m`,
    )
    .action(async (flags: Flags & { name: string }) => {
      const given = { ...(await fieldsOf(flags)), ...newScheduleOf(flags), name: flags.name };
      let { fields, note } = await inMachineZone(given);
      const isPaused = flags['paused'] === true;
      const { monitors: items } = connect(context, { waits: true });
      const monitor = await createNamed(
        { noun: 'monitor', items, name: flags.name, flags },
        {
          create: () => items.create({ ...fields, ...(isPaused && { paused: true }) }),
          async change(found) {
            ({ fields, note } = await zonedUpdateOf(found, given));
            return await items.update(found.id, {
              ...fields,
              ...(isPaused && { action: 'pause' }),
            });
          },
        },
      );
      if (note !== null) context.output.say(note);
      await printItem(context, resource, flags, monitor);
    });
}

function addPingsCommand(monitors: Command, context: Context): void {
  const { output } = context;
  withListLimit(withName(monitors.command('pings'), 'monitor'))
    .description('list the latest pings of a monitor, newest first')
    .addHelpText('after', '\nExample:\n  jobd monitors pings backup --limit 10')
    .action(async (name: string, flags: Flags) => {
      const limit = listLimitOf(flags);
      const { monitors: api } = connect(context);
      const found = await api.pings((await api.find(name)).id, limit);
      if (flags['json']) return printJson(output, found);
      printRows(
        output,
        found.pings,
        {
          'received at': ({ receivedAt }) => moment(receivedAt),
          kind: ({ kind }) => kind,
          'exit code': ({ exitCode }) => exitCode,
          ms: ({ durationMs }) => durationMs,
          by: ({ source }) => source,
          body: ({ body, truncated }) => (truncated ? `${body}…` : body),
        },
        { none: 'there are no pings yet' },
      );
      if (found.nextCursor && found.pings.length < limit) output.say('older pings did not fit');
    });
}

function withMonitorOptions(command: Command, { isNew }: { isNew: boolean }): Command {
  return withScheduleOptions(withFieldOptions(command, monitorFields, { isNew }), isNew);
}

async function fieldsOf(flags: Flags): Promise<MonitorUpdate> {
  return {
    ...scheduleFieldsOf(flags),
    ...(await givenFields<MonitorUpdate>(flags, monitorFields)),
  };
}

async function printMonitor(output: Output, monitor: Monitor): Promise<void> {
  const { status, missedDueAt, nextDueAt } = monitor;
  const dueAt = status === 'late' ? nextDueAt : missedDueAt;
  printFields(output, {
    name: monitor.name,
    status: state(status),
    ...windowTimes(monitor),
    ...(['late', 'down'].includes(status) && { because: whyDown(dueAt) }),
    ...(await scheduleFieldsFor(monitor)),
    ...settingsOf(monitorFields, monitor, ['name', 'paused']),
    // A key that may only read gets none.
    ping: monitor.pingUrl && requirePingUrl(monitor.pingUrl),
    'next due': moment(nextDueAt),
    'last ping': moment(monitor.lastPingAt),
    ...(monitor.lastDurationMs !== null && { 'last duration': `${monitor.lastDurationMs} ms` }),
    id: monitor.id,
  });
}
