/** `jobd nodes`: who serves a database on a server. */

import type { Command } from 'commander';
import type { NodeInRole } from '../../app/operator/nodes.ts';
import type { Flags } from '../../settings/config.ts';
import { JobdError } from '../../domain/errors.ts';
import type { Context } from '../context.ts';
import { withWide } from '../options.ts';
import { idCell, moment, state } from '../terminal/cell.ts';
import { printJson, printRows } from '../terminal/output.ts';
import { enterPlace, openStoreAt } from './local.ts';
import { databaseOption } from './place-options.ts';

/** Adds the command. */
export function addNodesCommand(program: Command, { output }: Context): void {
  withWide(program.command('nodes'))
    .description('list the processes that serve a PostgreSQL database')
    .addOption(databaseOption)
    .addHelpText(
      'after',
      `
The leader is the oldest that serves: it also sends alerts, signs receipts and
watches monitors. A draining one waits for its last calls and stops. A silent
one does not renew its lease, and is gone soon. LEASE is when a lease runs out,
or when its node ended: it stopped, or is gone.

Example:
  jobd nodes --database postgres://db.example/jobd`,
    )
    .action(async (flags: Flags) => {
      const place = await enterPlace(flags, output);
      if (place.database === null) throw isFile();
      await using local = await openStoreAt(place);
      const { examineNodes, leadText, nodeTimes } = await import('../../app/operator/nodes.ts');
      const { nodes, findings } = await examineNodes(local.store.db, local.clock.now());
      if (flags['json']) {
        const shown = nodes.map((node) => ({ ...factsOf(node), ...nodeTimes(node) }));
        return printJson(output, { nodes: shown, findings });
      }
      printRows(
        output,
        nodes,
        {
          host: ({ host }) => host,
          process: ({ pid }) => String(pid),
          role: ({ role }) => state(role),
          version: ({ version }) => version,
          since: (node) => moment(nodeTimes(node).startedAt),
          lease: (node) => moment(nodeTimes(node).leaseUntil ?? nodeTimes(node).endedAt),
          clock: ({ clockLeadMs }) => leadText(clockLeadMs),
          calls: ({ calls, slots }) => `${calls} of ${slots}`,
          id: ({ id }) => idCell(id),
        },
        {
          none: 'no node has served this database within a day',
          optional: ['version', 'lease', 'since'],
          isWide: flags['wide'] === true,
        },
      );
      for (const { detail, notes } of findings) output.say([detail, ...notes].join('; '));
    });
}

function isFile(): JobdError {
  const sentence = 'a database in a data directory is served by one process: jobd doctor shows it';
  return new JobdError('usage', sentence, {
    notes: ['for a database on a server, give --database URL or JOBD_DATABASE_URL'],
  });
}

/** All but its times, which are shown in their own way. */
function factsOf(node: NodeInRole) {
  const { expiresAt: _, endReason: __, isDraining: ___, ...facts } = node;
  return facts;
}
