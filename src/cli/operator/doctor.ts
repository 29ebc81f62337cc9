/** `jobd doctor`: checks an installation for problems. */

import type { Command } from 'commander';
import type { Checked } from '../../app/operator/doctor.ts';
import { serveConfig, urlHere, variableNames } from '../../settings/config.ts';
import type { Flags, ServeConfig } from '../../settings/config.ts';
import { JobdError, messageOf } from '../../domain/errors.ts';
import { found, ok } from '../../domain/findings.ts';
import { withoutPassword } from '../../settings/setting.ts';
import { unknownVariables, unknownWords } from '../../settings/variables.ts';
import { state } from '../terminal/cell.ts';
import type { Context } from '../context.ts';
import { enterPlace, namesNoPlace, type EnteredPlace } from './local.ts';
import { dataOption, databaseOption } from './place-options.ts';
import { isRoot } from './roots-files.ts';
import { printJson, printRows, type Columns, type Output } from '../terminal/output.ts';
import { environmentOfService, findService, serviceFiles } from './service.ts';
import type { ServiceEnvironment } from './service.ts';

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

It changes nothing. The exit code is 1 if a check fails, also if no jobd serves
this place and no option names it. Run by root, it checks the settings and the
data of the service. --ready is for health checks: it asks the server at
JOBD_HOST and JOBD_PORT.`,
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
  const { host, port } = configOf(flags, environmentFor(flags));
  const notes = await requestReadiness(`${urlHere({ host, port })}/readyz`);
  if (flags['json']) return printJson(output, { status: 'ready', notes });
  output.data('ready');
  for (const note of notes) output.say(note);
}

/** A line of the table. A note stands below the detail it belongs to. */
interface Line {
  finding: Checked | null;
  detail: string;
}

const columns: Columns<Line> = {
  result: ({ finding }) => (finding === null ? '' : state(finding.result)),
  check: ({ finding }) => finding?.check ?? '',
  detail: ({ detail }) => detail,
};

function linesOf(finding: Checked): Line[] {
  const notes = finding.notes.map((note) => ({ finding: null, detail: `- ${note}` }));
  return [{ finding, detail: finding.detail }, ...notes];
}

async function* examination(flags: Flags, output: Output): AsyncGenerator<Checked> {
  const { examine } = await import('../../app/operator/doctor.ts');
  const { masterKeysFor, unpackDriverFor } = await import('../../serve/local-store.ts');
  const { systemClock } = await import('../../domain/clock.ts');
  // Before root becomes the owner of the data, who may not read the settings.
  const ofService = environmentFor(flags);
  const configuration = configurationFinding(flags, ofService);
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
    hasMailServer: configOf(flags, ofService).smtp !== null,
    shouldServe: flags['data'] === undefined && flags['database'] === undefined,
    isOfService: ofService !== null,
  });
}

/** Where the database is, or why there is none that this command may use. */
async function enteredPlace(flags: Flags, output: Output): Promise<EnteredPlace | Checked> {
  try {
    return await enterPlace(flags, output);
  } catch (error) {
    const notes = error instanceof JobdError ? error.notes : [];
    const reason = messageOf(error);
    return { check: 'data directory', ...found('check-failed', { reason }, notes) };
  }
}

/** The environment that systemd gives the service: for root, who names no place of another one; else null. */
function environmentFor(flags: Flags): ServiceEnvironment | null {
  const isForService = isRoot() && namesNoPlace(flags);
  return isForService ? environmentOfService() : null;
}

/** The settings of the service; without one, those that a daemon with the environment of this command would have. */
function configOf(flags: Flags, service: ServiceEnvironment | null): ServeConfig {
  return serveConfig(service?.flags ?? flags, service?.variables);
}

/** Checks the settings of the service; without one, the environment of this command, from which that of a daemon may differ. */
function configurationFinding(flags: Flags, service: ServiceEnvironment | null): Checked {
  const check = 'configuration';
  const whose =
    service === null ? 'the environment of this command' : 'the environment of the service';
  const place = service === null ? [] : [`settings of the service: ${serviceFiles.settings}`];
  try {
    configOf(flags, service);
  } catch (error) {
    return { check, ...found('settings-invalid', { reason: messageOf(error) }, place) };
  }
  const names = service === null ? variableNames() : Object.keys(service.variables);
  const problems = [
    ...unknownVariables(names).map(unknownWords),
    ...(service?.ignored ?? []).map((line) => `systemd ignores ${line}`),
  ];
  const [reason, ...more] = problems;
  if (reason !== undefined) {
    const facts = { reason, count: problems.length };
    return { check, ...found('settings-ignored', facts, [...more, ...place]) };
  }
  const isOther = service === null && namesNoPlace(flags) && findService() !== null;
  const notes = isOther ? ['to check the settings of the service: sudo jobd doctor'] : [];
  return { check, ...ok(`${whose} is valid`), notes };
}
