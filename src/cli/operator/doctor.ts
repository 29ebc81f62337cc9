/** `jobd doctor`: checks an installation for problems. */

import type { Command } from 'commander';
import type { Finding } from '../../app/operator/finding.ts';
import { isEveryAddress, serveConfig, serveDefaults } from '../../settings/config.ts';
import type { Flags } from '../../settings/config.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import { withoutPassword } from '../../settings/setting.ts';
import { state } from '../terminal/cell.ts';
import type { Context } from '../context.ts';
import { enterPlace } from './local.ts';
import type { EnteredPlace } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { printJson, printRows } from '../terminal/output.ts';
import type { Columns, Output } from '../terminal/output.ts';

/** Adds the command. */
export function addDoctorCommand(program: Command, context: Context): void {
  const { output } = context;
  program
    .command('doctor')
    .description('check for problems: data directory, database, keys, clock, alerts')
    .addOption(dataOption)
    .addOption(databaseOption)
    .option('--ready', 'only ask the server whether it can do its work, as GET /readyz does')
    .addHelpText(
      'after',
      `
Examples:
  jobd doctor
  sudo jobd doctor --json

It changes nothing. The exit code is 1 if a check fails. --ready is for health
checks of containers: it asks the server at JOBD_HOST and JOBD_PORT.`,
    )
    .action(async (flags: Flags) => {
      if (flags['ready'] === true) return await askWhetherReady(flags, output);
      const findings = await Array.fromAsync(examination(flags, output));
      if (findings.some(({ result }) => result === 'fail')) context.exitCode = 1;
      if (flags['json']) return printJson(output, { findings });
      printRows(output, findings.flatMap(linesOf), columns, { wrapsLast: true });
    });
}

/** Prints `ready`. Throws what the server says, or that it does not answer. */
async function askWhetherReady(flags: Flags, output: Output): Promise<void> {
  const { requestReadiness } = await import('../client/client.ts');
  const { host, port } = serveConfig(flags);
  const place = isEveryAddress(host) ? serveDefaults.host : host;
  const notes = await requestReadiness(
    `http://${place.includes(':') ? `[${place}]` : place}:${port}/readyz`,
  );
  if (flags['json']) return printJson(output, { status: 'ready', notes });
  output.data('ready');
  for (const note of notes) output.say(note);
}

/** A line of the table. A note stands below the detail it belongs to. */
interface Line {
  finding: Finding | null;
  detail: string;
}

const columns: Columns<Line> = {
  result: ({ finding }) => (finding === null ? '' : state(finding.result)),
  check: ({ finding }) => finding?.check ?? '',
  detail: ({ detail }) => detail,
};

function linesOf(finding: Finding): Line[] {
  const notes = finding.notes.map((note) => ({ finding: null, detail: `- ${note}` }));
  return [{ finding, detail: finding.detail }, ...notes];
}

async function* examination(flags: Flags, output: Output): AsyncGenerator<Finding> {
  const { examine } = await import('../../app/operator/doctor.ts');
  const { masterKeysFor, unpackDriverFor } = await import('../../serve/local-store.ts');
  const { systemClock } = await import('../../domain/clock.ts');
  const configuration = configurationFinding(flags);
  yield configuration;
  if (configuration.result === 'fail') return;
  const place = await enteredPlace(flags, output);
  if ('check' in place) {
    yield place;
    return;
  }
  const { dataDir, database, keys } = place;
  unpackDriverFor(place);
  yield* examine({
    place,
    name: database === null ? dataDir : withoutPassword(database),
    clock: systemClock,
    masterKeys: masterKeysFor(place, keys),
    hasMailServer: serveConfig(flags).smtp !== null,
  });
}

/** Where the database is, or why there is none that this command may use. */
async function enteredPlace(flags: Flags, output: Output): Promise<EnteredPlace | Finding> {
  try {
    return await enterPlace(flags, output);
  } catch (error) {
    const notes = error instanceof JobdError ? error.notes : [];
    return { check: 'data directory', result: 'fail', detail: messageOf(error), notes };
  }
}

/** Checks the environment of this command; that of the daemon may differ. */
function configurationFinding(flags: Flags): Finding {
  const check = 'configuration';
  try {
    serveConfig(flags);
    return { check, result: 'ok', detail: 'the environment of this command is valid', notes: [] };
  } catch (error) {
    return { check, result: 'fail', detail: messageOf(error), notes: [] };
  }
}
