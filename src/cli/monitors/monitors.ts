/** `jobd monitors`: what is to ping, over the API. */

import type { Command } from 'commander';
import type { Monitor, MonitorUpdate } from '../../api/monitors/contract.ts';
import { clientConfig } from '../client/settings.ts';
import type { Flags } from '../../config.ts';
import { jobActions } from '../../domain/jobs/job.ts';
import type { JobAction } from '../../domain/jobs/job.ts';
import { moment, state } from '../terminal/cell.ts';
import { createClient } from '../client/client.ts';
import { confirm } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { parseDuration } from '../options/duration.ts';
import { findMonitor } from '../client/find-named.ts';
import { printFields, printJson, printRows } from '../terminal/output.ts';
import { plain } from '../terminal/text.ts';
import {
  scheduleFieldsOf,
  scheduleText,
  textFlag,
  withScheduleOptions,
} from '../jobs/schedule-options.ts';
import { parseWholeNumber } from '../options/whole-number.ts';

/** Adds the commands. */
export function addMonitorCommands(program: Command, context: Context): void {
  const { output } = context;
  const monitors = program
    .command('monitors')
    .description('watch over tasks that run elsewhere, by their pings');

  withMonitorOptions(monitors.command('create').description('create a monitor'), { required: true })
    .option('--paused', 'create it paused')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nExamples:\n' +
        "  jobd monitors create --name backup --cron '30 2 * * *' --tz UTC --grace 1h\n" +
        '  jobd monitors create --name worker --every 5m --grace 2m',
    )
    .action(async (flags: Flags & { name: string }) => {
      const given = { ...fieldsOf(flags), name: flags.name };
      const input = flags['paused'] === true ? { ...given, paused: true } : given;
      show(context, flags, await createClient(clientConfig()).createMonitor(input));
    });

  monitors
    .command('list')
    .description('list all monitors of the workspace, newest first')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd monitors list')
    .action(async (flags: Flags) => {
      const found = await Array.fromAsync(createClient(clientConfig()).listMonitors());
      if (flags['json']) return printJson(output, { monitors: found });
      printRows(
        output,
        found,
        {
          id: ({ id }) => id,
          name: ({ name }) => name,
          status: ({ status }) => state(status),
          schedule: scheduleText,
          'next due': ({ nextDueAt }) => moment(nextDueAt),
          'last ping': ({ lastPingAt }) => moment(lastPingAt),
        },
        { none: 'there are no monitors', optional: ['last ping'] },
      );
    });

  monitors
    .command('get')
    .argument('<monitor>', 'id or name of the monitor')
    .description('show a monitor')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd monitors get backup')
    .action(async (name: string, flags: Flags) => {
      show(context, flags, await findMonitor(createClient(clientConfig()), name));
    });

  const update = monitors.command('update').argument('<monitor>', 'id or name of the monitor');
  withMonitorOptions(update, { required: false })
    .description('change a monitor: only what is given changes')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd monitors update backup --grace 2h')
    .action((name: string, flags: Flags) => change(context, name, flags, fieldsOf(flags)));

  for (const action of jobActions) {
    monitors
      .command(action)
      .argument('<monitor>', 'id or name of the monitor')
      .description(actionWords[action])
      .option('--json', 'print one JSON document')
      .addHelpText('after', `\nExample:\n  jobd monitors ${action} backup`)
      .action((name: string, flags: Flags) => change(context, name, flags, { action }));
  }

  monitors
    .command('delete')
    .argument('<monitor>', 'id or name of the monitor')
    .description('delete a monitor with all its pings')
    .option('--yes', 'do not ask')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd monitors delete backup --yes')
    .action(async (name: string, flags: Flags) => {
      const client = createClient(clientConfig());
      const monitor = await findMonitor(client, name);
      const question = `Delete monitor ${plain(monitor.name)} with all its pings?`;
      await confirm(question, flags['yes'] === true);
      await client.deleteMonitor(monitor.id);
      if (flags['json']) printJson(output, { ok: true });
      else output.say(`deleted ${monitor.id}`);
    });

  monitors
    .command('pings')
    .argument('<monitor>', 'id or name of the monitor')
    .description('list the latest pings of a monitor, newest first')
    .option('--limit <n>', 'how many, 1 to 100', '50')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  jobd monitors pings backup --limit 10')
    .action(async (name: string, flags: Flags & { limit: string }) => {
      const limit = parseWholeNumber(flags.limit, '--limit', { min: 1, max: 100 });
      const client = createClient(clientConfig());
      const { id } = await findMonitor(client, name);
      const found = await client.listPings(id, limit);
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
    });
}

const actionWords: Record<JobAction, string> = {
  pause: 'expect no pings until it is resumed; those that come are kept',
  resume: 'expect the pings of a paused monitor again, from its next due time',
};

function withMonitorOptions(command: Command, { required }: { required: boolean }): Command {
  const defaults = required ? (value: string) => ` (default ${value})` : () => '';
  command.addOption(
    command.createOption('--name <name>', 'what it is called').makeOptionMandatory(required),
  );
  return withScheduleOptions(command, defaults)
    .option('--grace <duration>', `how long a ping may be overdue, to 1d${defaults('5m')}`)
    .option('--notes <text>', 'notes for people');
}

/** The fields that the options give. Throws `invalid_input`, naming the option. */
function fieldsOf(flags: Flags): MonitorUpdate {
  const [name, grace, notes] = ['name', 'grace', 'notes'].map((flag) => textFlag(flags, flag));
  return {
    ...(name !== undefined && { name }),
    ...scheduleFieldsOf(flags),
    ...(grace !== undefined && { graceSeconds: parseDuration(grace, '--grace') }),
    ...(notes !== undefined && { notes }),
  };
}

async function change(
  context: Context,
  name: string,
  flags: Flags,
  fields: MonitorUpdate,
): Promise<void> {
  const client = createClient(clientConfig());
  const { id } = await findMonitor(client, name);
  show(context, flags, await client.updateMonitor(id, fields));
}

function show({ output }: Context, flags: Flags, monitor: Monitor): void {
  if (flags['json']) return printJson(output, { monitor });
  printFields(output, {
    id: monitor.id,
    name: monitor.name,
    status: state(monitor.status),
    schedule: scheduleText(monitor),
    grace: `${monitor.graceSeconds} s`,
    ping: monitor.pingUrl,
    'next due': moment(monitor.nextDueAt),
    'last ping': moment(monitor.lastPingAt),
    'duration ms': monitor.lastDurationMs,
  });
}
